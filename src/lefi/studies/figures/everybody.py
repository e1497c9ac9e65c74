"""Every mechanism on the same markets at equal money: ranked dots with intervals, one panel per budget."""

from typing import NamedTuple

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.style import looks, sheet
from lefi.studies.judge.statistics import Interval, median

OVER = 1e-3  # overspend below a thousandth of the budget is told as none


class Place(NamedTuple):
    """A mechanism at one budget: its quality over fleets, and the worst overspend."""

    mechanism: str
    quality: Interval
    worst: float


Numbers = dict[float, list[Place]]


def compute(table: pl.DataFrame) -> Numbers:
    """For each budget the mechanisms, the best first. Per fleet the mean over scenarios counts."""
    found: Numbers = {}
    for budget in sorted(table["budget"].unique()):
        here = table.filter(budget=budget)
        places = [_place(str(name), here.filter(mechanism=name)) for name in here["mechanism"].unique()]
        found[float(budget)] = sorted(places, key=lambda place: (-float(place.quality.middle), place.mechanism))
    return found


def _place(name: str, rows: pl.DataFrame) -> Place:
    fleets = rows.group_by("seed").agg(pl.col("quality").mean()).sort("seed")["quality"].to_numpy()
    return Place(name, median(fleets), float(np.max(rows["worst"].to_numpy())))


def draw(numbers: Numbers) -> Figure:
    most = max(len(places) for places in numbers.values())
    look = looks({place.mechanism for places in numbers.values() for place in places})
    figure, panels = sheet(len(numbers), width=5.2 * len(numbers), height=1.2 + 0.27 * most)
    for axes, (budget, places) in zip(panels, numbers.items(), strict=True):
        for row, place in enumerate(places):
            style, (middle, low, high) = look[place.mechanism], map(float, place.quality)
            axes.plot([low, high], [row, row], color=style.colour, linewidth=1.6)
            face = "white" if place.worst > OVER else style.colour
            marker = style.marker or "o"
            axes.plot([middle], [row], marker=marker, color=style.colour, markerfacecolor=face, markersize=6)
        axes.set_yticks(range(len(places)), [look[place.mechanism].label for place in places])
        axes.invert_yaxis()
        axes.set_title(f"{budget:g} USD a round")
        axes.set_xlabel("accuracy, as a share of first_best's")
        axes.margins(x=0.06, y=0.03)
    return figure


def caption(numbers: Numbers) -> str:
    first = "; ".join(
        f"{budget:g} USD: {places[0].mechanism} {float(places[0].quality.middle):.3f}, last {places[-1].mechanism} "
        f"{float(places[-1].quality.middle):.3f}"
        for budget, places in numbers.items()
    )
    return (
        "Ten clients, round 20, mean over the scenarios paper, mixed, noisy and flaky; medians over fleets with 95% "
        "intervals. An open mark: some round overspent by more than a thousandth of its budget, and was scaled to it "
        f"where its accuracy is told. Losers of a contest work at a loss, which first_best never asks for. {first}."
    )
