"""Accuracy against money, over payment classes: every mechanism, the oracle of the paper's class, and first_best."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from lefi.mechanisms.catalogue import registered
from lefi.studies.figures.bands import Band, band, bands, draw_band
from lefi.studies.figures.line_ends import name_lines
from lefi.studies.figures.style import FIRST_BEST, ORACLE, looks, sheet
from lefi.studies.run.results import Finished, matrix

GOAL = 5.0  # USD: the paper's budget for 10 clients


@dataclass(frozen=True, eq=False)
class Numbers:
    """Judged accuracy in the last round by budget, the two bounds, and the oracle's accuracy at the paper's budget."""

    accuracy: dict[str, Band]
    oracle: Band
    first_best: Band
    goal: float
    overspend: dict[str, float]  # largest in the last round


def compute(study: Finished) -> Numbers:
    final = study.final()
    marks = final.group_by("seed", "budget").agg(pl.col("oracle").first(), pl.col("first_best").drop_nans().first())
    oracle, outer = (band(matrix(marks, name, "budget")) for name in ("oracle", "first_best"))
    goal = oracle.at(GOAL)[0] if GOAL in oracle.by else np.nan
    over = dict(final.group_by("mechanism").agg(pl.col("overspend").max()).iter_rows())
    return Numbers(bands(final, "judged", "budget"), oracle, outer, goal, over)


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(1, width=8.2, height=4.6)
    look = looks(numbers.accuracy)
    for name, line in numbers.accuracy.items():
        draw_band(axes, line, look[name], markers=True, alpha=0.10)
    for line, bound in ((numbers.first_best, FIRST_BEST), (numbers.oracle, ORACLE)):
        axes.plot(line.by, line.middle, color=bound.colour, linestyle=bound.line, linewidth=1.4)
    if np.isfinite(numbers.goal):
        axes.axhline(numbers.goal, color="#AAAAAA", linewidth=0.8)
        axes.annotate(
            f"the paper's class with {GOAL:g} USD",
            (numbers.oracle.by[0], numbers.goal),
            xytext=(2, 3),
            textcoords="offset points",
            color="#6B6B6B",
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.set_xticks(numbers.oracle.by, [f"{budget:g}" for budget in numbers.oracle.by])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(xlabel="budget [USD per round, 10 clients]", ylabel="accuracy in the last round")
    both = {"oracle": numbers.oracle, "first_best": numbers.first_best}
    bounds = {name: (float(line.by[-1]), float(line.middle[-1])) for name, line in both.items()}
    name_lines(figure, axes, numbers.accuracy, markers=True, bounds=bounds)
    return figure


def caption(numbers: Numbers) -> str:
    known = registered()
    kinds = "; ".join(
        f"{name} pays by {known[name].payment} and knows {known[name].tier}"
        for name in numbers.accuracy
        if name in known
    )
    lines = numbers.accuracy | {"first_best": numbers.first_best}
    ends = "; ".join(f"{name} {_cheapest(line, numbers.goal)}" for name, line in lines.items())
    return (
        f"Median accuracy over fleets by budget, with 95% intervals. {kinds}. Dashed: the oracle of the paper's class; "
        f"dotted: first_best, which pays just the cost. Smallest budget of the sweep whose median reaches the oracle's "
        f"accuracy at {GOAL:g} USD ({numbers.goal:.4f}): {ends}. Overspent most then: {_overspent(numbers)}."
    )


def _overspent(numbers: Numbers) -> str:
    found = {name: over for name, over in numbers.overspend.items() if over > 1e-6}
    return ", ".join(f"{name} {100 * over:.1f}%" for name, over in sorted(found.items())) or "none"


def _cheapest(line: Band, goal: float) -> str:
    reached = line.by[line.middle >= goal]
    return f"{reached.min():g} USD" if reached.size else "none"
