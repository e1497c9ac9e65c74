"""Paid training for real: test accuracy of the model that the clients trained, against rounds and against USD."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.optimum import ORACLE
from lefi.studies.figures import style
from lefi.studies.figures.style import Look, sheet


@dataclass(frozen=True, eq=False)
class Run:
    """One mechanism: rounds, and (seeds, rounds) of USD spent so far and of test accuracy."""

    rounds: FloatArray
    spent: FloatArray
    accuracy: FloatArray


Numbers = dict[str, Run]


def runs(table: pl.DataFrame) -> Numbers:
    """Rows of (mechanism, seed, round, paid, accuracy) as arrays per mechanism."""
    names = table["mechanism"].unique().to_list()
    ordered = [*style.in_order(name for name in names if name != ORACLE), *(name for name in names if name == ORACLE)]
    return {name: _run(table.filter(pl.col("mechanism") == name)) for name in ordered}


def _run(table: pl.DataFrame) -> Run:
    rows = table.sort("seed", "round").with_columns(spent=pl.col("paid").cum_sum().over("seed"))
    seeds = rows["seed"].n_unique()
    rounds = rows["round"].unique().sort().to_numpy().astype(np.float64)
    return Run(rounds, rows["spent"].to_numpy().reshape(seeds, -1), rows["accuracy"].to_numpy().reshape(seeds, -1))


def draw(numbers: Numbers) -> Figure:
    figure, (left, right) = sheet(2, height=3.6, share_y=True)
    looks = {ORACLE: style.ORACLE} | style.looks(name for name in numbers if name != ORACLE)
    for name, run in numbers.items():
        _band(left, run.rounds, run.accuracy, looks[name])
        _band(right, run.spent.mean(axis=0), run.accuracy, looks[name])
    left.set(xlabel="round", ylabel="test accuracy of the trained model")
    right.set(xlabel="USD spent so far (mean over seeds)")
    style.legend(figure, [name for name in numbers if name != ORACLE], oracle=ORACLE in numbers)
    return figure


def _band(axes: Axes, x: FloatArray, values: FloatArray, look: Look) -> None:
    axes.plot(x, values.mean(axis=0), color=look.colour, linestyle=look.line)
    axes.fill_between(x, values.min(axis=0), values.max(axis=0), color=look.colour, alpha=0.12, linewidth=0)
