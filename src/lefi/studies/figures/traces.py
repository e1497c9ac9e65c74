"""What single clients go through: one seed as thin lines, and all seeds in one number per round.

series    (rounds, clients)   weights [USD] or sizes [thousand samples] of one seed
distance  (seeds, rounds)     largest |value / goal - 1| over clients, goal = mean over the last 20 rounds
spread    (seeds, rounds)     standard deviation over clients / mean over clients
"""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from lefi.arrays import FloatArray
from lefi.studies.figures.bands import Band, band, draw_band
from lefi.studies.figures.style import GREY, KNOWN, label_y
from lefi.studies.run.results import Finished, Matrix, binding, series

MECHANISM = "lefi"
WINDOW = 20
TOLERANCE = 0.05


@dataclass(frozen=True, eq=False)
class Traces:
    """One seed's lines, the round where its budget starts to bind, and two bands over all seeds."""

    seed: int
    rounds: FloatArray
    lines: FloatArray
    binds: int | None
    distance: Band
    spread: Band


def traces(study: Finished, value: str) -> Traces:
    """The traces of `weight` or `size` under lefi; the seed shown is the lowest."""
    found = series(study, MECHANISM, value)
    seeds = sorted(found)
    shortest = min(len(found[seed]) for seed in seeds)
    rounds = np.arange(1.0, shortest + 1)
    tables = [found[seed][:shortest] for seed in seeds]
    return Traces(
        seed=seeds[0],
        rounds=rounds,
        lines=tables[0],
        binds=binding(study, MECHANISM)[seeds[0]],
        distance=band(Matrix(seeds, rounds, np.stack([distance(table) for table in tables]))),
        spread=band(Matrix(seeds, rounds, np.stack([spread(table) for table in tables]))),
    )


def distance(table: FloatArray, window: int = WINDOW) -> FloatArray:
    """Per round, how far the client furthest from its settled value is from it, as a share of that value."""
    goal = np.nanmean(table[-window:], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(table - goal) / np.abs(goal)
    return np.asarray(np.nanmax(np.where(table == goal, 0.0, away), axis=1))


def spread(table: FloatArray) -> FloatArray:
    """Per round, standard deviation over mean, across clients."""
    mean = np.nanmean(table, axis=1)
    return np.asarray(np.nanstd(table, axis=1) / np.where(mean > 0, mean, np.nan))


def draw_lines(axes: Axes, numbers: Traces, unit: str) -> None:
    """One thin line per client, and where the budget starts to bind."""
    shades = ["#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000", "#7A7A7A"]
    for place, line in enumerate(numbers.lines.T):
        axes.plot(numbers.rounds, line, color=shades[place % len(shades)], linewidth=0.9, alpha=0.9)
    top = float(np.nanmax(numbers.lines)) * 1.18
    axes.set(xlabel="round", ylabel=unit, xlim=(1, numbers.rounds[-1]), ylim=(0, top))
    axes.set_title(f"one fleet (seed {numbers.seed}), a line per client")
    if numbers.binds is not None:
        axes.axvline(numbers.binds, color=GREY, linewidth=1, linestyle=(0, (2, 2)))
        axes.annotate(
            f"budget binds (round {numbers.binds})",
            (numbers.binds, top),
            xytext=(5, -3),
            textcoords="offset points",
            va="top",
            color="#333333",
            fontsize=8.5,
        )


def draw_distance(axes: Axes, numbers: Traces) -> None:
    """How far from settled, over all seeds, with the 5% of the definition."""
    draw_band(axes, numbers.distance, KNOWN[MECHANISM])
    axes.axhline(TOLERANCE, color=GREY, linewidth=1, linestyle=(0, (2, 2)))
    axes.annotate(
        f"settled: {100 * TOLERANCE:g}%",
        (1, TOLERANCE),
        xycoords=("axes fraction", "data"),
        xytext=(-3, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8.5,
        color="#333333",
    )
    axes.set_yscale("log")
    label_y(axes, 100, "%")
    axes.set(xlabel="round", ylabel="largest distance from the final value", xlim=(1, numbers.rounds[-1]))
    axes.set_title("all fleets: how far from settled")
