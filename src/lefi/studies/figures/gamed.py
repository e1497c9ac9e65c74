"""Who can be gamed: what playing adds for a client against what the server loses by it, one dot per mechanism."""

from typing import NamedTuple

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.style import label_y, looks, sheet


class Told(NamedTuple):
    """Games of one kind under one mechanism. USD a round; `lost` is a share of the server's gain."""

    mechanism: str
    kind: str
    honest: float
    adds: float
    most: float
    lost: float
    policy: str  # of the game in which playing added most


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
        found.append(Told(str(mechanism), str(kind), *told, str(best)))
    return found


def caption(told: list[Told]) -> str:
    worst = max((row for row in told if row.kind == "reply"), key=lambda row: row.adds / max(row.honest, 1e-12))
    return (
        "Left and below nobody gains by playing. Means over the clients that were tried. Most is to be had from "
        f"{worst.mechanism}, by {worst.policy}: {1000 * worst.adds:.2f} beside {1000 * worst.honest:.2f} thousandths "
        "of a USD that an honest client keeps."
    )


def draw(told: list[Told]) -> Figure:
    figure, (axes,) = sheet(width=5.6, height=3.8)
    look = looks({row.mechanism for row in told})
    for row in told:
        style = look[row.mechanism]
        x = 1000 * row.adds
        axes.plot([x], [row.lost], marker=style.marker or "o", color=style.colour, linestyle="", markersize=8)
        axes.annotate(
            f"{style.label}, {row.kind}", (x, row.lost), xytext=(6, 4), textcoords="offset points", fontsize=8
        )
    axes.axhline(0, color="#AAAAAA", linewidth=0.8)
    axes.axvline(0, color="#AAAAAA", linewidth=0.8)
    axes.margins(x=0.25, y=0.15)
    label_y(axes, 100, "%")
    axes.set(xlabel="what playing adds for those who play, thousandths of a USD a round", ylabel="server's gain lost")
    return figure
