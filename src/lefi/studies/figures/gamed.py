"""Who can be gamed: what each way of playing adds for a client, one panel per way, one dot per mechanism."""

from typing import NamedTuple

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from lefi.game.tasks import KINDS
from lefi.studies.figures.style import looks, sheet

WORTH_SAYING = 0.01  # of the server's gain: smaller changes only crowd the figure


class Told(NamedTuple):
    """Games of one kind under one mechanism. USD a round; `lost` is a share of the server's gain."""

    mechanism: str
    kind: str
    honest: float
    adds: float
    most: float
    lost: float
    policy: str  # of the game in which playing added most
    part: float  # of the budget that is one client's, were it shared out equally [USD]


def compute(table: pl.DataFrame) -> list[Told]:
    """Means over the games of each mechanism and kind, in the order of the table."""
    found = []
    for (mechanism, kind), games in table.group_by("mechanism", "kind", maintain_order=True):
        adds = (games["kept"] - games["honest"]).to_numpy()
        gains = games["gain_honest"].to_numpy()
        lost = 1 - np.divide(games["gain"].to_numpy(), gains, out=np.ones_like(gains), where=gains != 0)
        best = games["policy"][int(adds.argmax())]
        honest = float(games["honest"].to_numpy().mean())
        told = (honest, float(adds.mean()), float(adds.max()), float(lost.mean()))
        part = float((games["budget"] / games["clients"]).to_numpy().mean())
        found.append(Told(str(mechanism), str(kind), *told, str(best), part))
    return found


def caption(told: list[Told]) -> str:
    worst = max(told, key=lambda row: row.adds / row.part)
    return (
        "What playing adds, as a part of a client's equal share of the budget, so that mechanisms with different money "
        "compare; beside the dot what the server loses of its gain, where that is 1% or more. Means over the clients "
        f"that were tried. Most is to be had from {worst.mechanism} ({worst.kind}): {1000 * worst.adds:.2f} beside "
        f"{1000 * worst.honest:.2f} thousandths of a USD that an honest client keeps."
    )


def draw(told: list[Told]) -> Figure:
    kinds = sorted({row.kind for row in told}, key=KINDS.index)
    look = looks(row.mechanism for row in told)
    names = list(look)[::-1]  # the first on top
    figure, panels = sheet(
        len(kinds), width=max(2.2 + 1.9 * len(kinds), 5.4), height=1.3 + 0.3 * len(names), share_y=True
    )
    for axes, kind in zip(panels, kinds, strict=True):
        for row in (row for row in told if row.kind == kind):
            style, y, x = look[row.mechanism], names.index(row.mechanism), row.adds / row.part
            axes.plot([x], [y], marker=style.marker or "o", color=style.colour, linestyle="", markersize=7)
            if abs(row.lost) >= WORTH_SAYING:
                side = (-7, "right") if x > 0.5 else (7, "left")
                axes.annotate(
                    f"{-row.lost:+.0%}",
                    (x, y),
                    (side[0], 0),
                    textcoords="offset points",
                    ha=side[1],
                    va="center",
                    fontsize=7,
                )
        axes.axvline(0, color="#AAAAAA", linewidth=0.8)
        axes.set_title(kind)
        axes.margins(x=0.2, y=0.08)
        axes.set_yticks(range(len(names)), [look[name].label for name in names])
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.supxlabel(
        "what playing adds, % of an equal share of the budget\n(beside the dot: the server's gain)", fontsize=9
    )
    return figure
