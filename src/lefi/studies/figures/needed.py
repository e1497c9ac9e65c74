"""Money needed to reach the paper's accuracy, by round: what learning costs.

goal of a fleet: the accuracy that the oracle of the paper's class gets from 5 USD. Between two budgets of the sweep the
accuracy is taken to be linear in the logarithm of the budget. A round that overspends does not reach anything.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from lefi.arrays import FloatArray
from lefi.studies.figures.bands import Band, draw_band
from lefi.studies.figures.line_ends import name_lines
from lefi.studies.figures.money import GOAL
from lefi.studies.figures.style import in_order, label_y, looks, sheet
from lefi.studies.run.results import Finished

ROUNDING = 1e-9  # overspend below this is rounding


@dataclass(frozen=True, eq=False)
class Numbers:
    """Quartiles over fleets of the budget that reaches the goal, per mechanism and round; inf where none does."""

    needed: dict[str, Band]


def compute(study: Finished) -> Numbers:
    rounds = study.rounds.filter(pl.col("round") <= study.last)
    goals = rounds.filter(pl.col("budget") == GOAL).group_by("seed").agg(goal=pl.col("oracle").first())
    table = rounds.join(goals, on="seed").sort("mechanism", "seed", "round", "budget")
    needed = {}
    for name in in_order(table["mechanism"].unique()):
        part = table.filter(pl.col("mechanism") == name)
        shape = part["seed"].n_unique(), part["round"].n_unique(), part["budget"].n_unique()
        judged, goal, over = (part[column].to_numpy().reshape(shape) for column in ("judged", "goal", "overspend"))
        within = np.where(over <= ROUNDING, judged, -np.inf)
        found = cheapest(part["budget"].to_numpy()[: shape[2]], within, goal[..., 0])
        low, middle, high = np.quantile(found, (0.25, 0.5, 0.75), axis=0, method="higher")
        needed[name] = Band(np.arange(1, shape[1] + 1, dtype=np.float64), middle, low, high)
    return Numbers(needed)


def cheapest(budgets: FloatArray, accuracy: FloatArray, goal: FloatArray) -> FloatArray:
    """The budget at which accuracy (..., budgets) first meets the goal (...); inf where it does not."""
    meets = accuracy >= goal[..., None]
    first = meets.argmax(axis=-1)
    before = np.maximum(first - 1, 0)
    high = np.take_along_axis(accuracy, first[..., None], -1)[..., 0]
    low = np.take_along_axis(accuracy, before[..., None], -1)[..., 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where((first > 0) & np.isfinite(low), (goal - low) / (high - low), 1.0)
    log = np.log(budgets)
    found = np.exp(log[before] + np.clip(np.nan_to_num(share, nan=1.0), 0, 1) * (log[first] - log[before]))
    return np.where(meets.any(axis=-1), found, np.inf)


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(1, width=7.2, height=4.0)
    reached = {name: line for name, line in numbers.needed.items() if np.isfinite(line.middle).any()}
    look = looks(reached)
    for name, line in reached.items():
        there = np.isfinite(line.middle)
        high = np.where(np.isfinite(line.high), line.high, line.middle)
        shown = Band(line.by[there], line.middle[there], line.low[there], high[there])
        draw_band(axes, shown, look[name], alpha=0.12)
    axes.set_yscale("log")
    label_y(axes)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set(xlabel="round", ylabel="budget needed [USD per round]")
    name_lines(figure, axes, reached)
    return figure


def caption(numbers: Numbers) -> str:
    parts = []
    for name, line in numbers.needed.items():
        rounds = [number for number in (10, 20, int(line.by[-1])) if number <= line.by[-1]]
        told = ", ".join(f"{_usd(line.at(number)[0])} by round {number}" for number in dict.fromkeys(rounds))
        parts.append(f"{name} {told}")
    return (
        "Budget per round for 10 clients with which a mechanism reaches, in that round, what the oracle of the "
        f"paper's class gets from {GOAL:g} USD: median and quartiles over fleets. {'; '.join(parts)}. "
        "No line: no budget of the sweep was enough. A round that overspends counts as not enough."
    )


def _usd(money: float) -> str:
    return f"{money:.3g} USD" if np.isfinite(money) else "not reached"
