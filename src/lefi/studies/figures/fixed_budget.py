"""Share of the oracle's gain against the number of clients, with 0.5 USD for each and with 5 USD for all.

The paper's figure states 5 USD and never says that it grows with the clients. The points with 5 USD, and those with
10,000 clients, are of heavy studies.
"""

from dataclasses import dataclass

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.style import KNOWN, ORACLE, legend, looks, sheet, ticks_at
from lefi.studies.run.results import Finished

EACH, ALL = "0.5 USD for each client", "5 USD for all clients"
DEEPEST = -1.0  # of the axis
FIRST = ("lefi", "lefi warm", "waterfill", "uniform")  # mechanisms of the first screen


@dataclass(frozen=True, eq=False)
class Numbers:
    """Share in the last round over the number of clients, per budget and mechanism; and the worst overspend of all."""

    share: dict[str, dict[str, Band]]
    worst: dict[str, float]


def compute(study: Finished, fixed: pl.DataFrame, many: pl.DataFrame) -> Numbers:
    """`fixed` and `many` are the tables of the heavy studies."""
    columns = ["mechanism", "clients", "seed", "share"]
    final, large = study.final().select(columns), at_the_end(many)
    each = pl.concat([final, large.filter(pl.col("budget") > 5).select(columns)])
    shared = pl.concat([at_the_end(fixed).select(columns), large.filter(budget=5.0).select(columns)])
    worst = at_the_end(fixed).group_by("mechanism").agg(pl.col("worst").max())
    return Numbers(
        {EACH: bands(each, "share", "clients"), ALL: bands(shared, "share", "clients")}, dict(worst.iter_rows())
    )


def at_the_end(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last round."""
    return table.filter(pl.col("round") == pl.col("round").max())


def _panel(axes: Axes, lines: dict[str, Band], title: str) -> None:
    for name, look in looks(lines).items():
        draw_band(axes, lines[name], look, markers=True, alpha=0.1)
    axes.axhline(1, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    axes.axhline(0, color="#AAAAAA", linewidth=0.8)
    axes.set_xscale("log")
    ticks_at(axes, sorted({float(x) for line in lines.values() for x in line.by}))
    axes.set(xlabel="number of clients", ylim=(DEEPEST, 1.06))
    axes.set_title(title)


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(2, width=10.2, height=4.2, share_y=True)
    for axes, (title, lines) in zip(panels, numbers.share.items(), strict=True):
        _panel(axes, lines, title)
    panels[0].set_ylabel("share of the oracle's gain, last round")
    legend(figure, {name for lines in numbers.share.values() for name in lines}, oracle=True, markers=True)
    return figure


def draw_first(numbers: Numbers) -> Figure:
    """For the first screen: fewer mechanisms, both budgets in one panel."""
    figure, (axes,) = sheet(width=4.9, height=4.1)
    _panel(axes, {name: numbers.share[ALL][name] for name in FIRST if name in numbers.share[ALL]}, "")
    each = numbers.share[EACH]
    for name in ("lefi", "waterfill"):
        if name in each:
            axes.plot(
                each[name].by, each[name].middle, color=KNOWN[name].colour, linestyle=(0, (1, 1.5)), linewidth=1.2
            )
    axes.set_ylabel("share of the optimum's gain")
    axes.annotate("dotted: 0.5 USD for each", (0.03, 0.04), xycoords="axes fraction", fontsize=8, color="#333333")
    legend(figure, FIRST, oracle=True, markers=True)
    return figure


def caption(numbers: Numbers) -> str:
    over = numbers.worst.get("lefi usd", 0.0)
    return (
        "Left, where money grows with the fleet, everybody stays near the optimum. Right, where 5 USD are for all, "
        "the first offers of lefi fall below what data costs most clients, and it does not find out of there; begun at "
        "equal weights (lefi warm) it does, up to 1,000 clients. With the paper's literal dollars it spends up to "
        f"{1 + over:,.0f} budgets in a round. What lies below {DEEPEST:g} is cut off. Medians over 6 fleets that "
        "nothing was chosen on (left, up to 1,000 clients: those of the study clients)."
    )


def caption_first(_: Numbers) -> str:
    return "5 USD for all clients, as the paper states. Learning from too small offers fails; equal weights do not."
