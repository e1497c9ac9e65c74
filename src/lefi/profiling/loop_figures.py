"""Pictures of real training under payment: accuracy against rounds and against USD, and the paper's shortcut."""

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.profiling.approximation import Approximation
from lefi.profiling.loop import ORACLE
from lefi.studies.figures import style
from lefi.studies.figures.style import GREY, KNOWN, Look, sheet


def draw_loop(table: pl.DataFrame) -> Figure:
    """Mean test accuracy over seeds against rounds and against USD spent; bands from the least to the most seed."""
    figure, (left, right) = sheet(2, height=3.6, share_y=True)
    names = [name for name in table["mechanism"].unique().to_list() if name != ORACLE]
    looks: dict[str, Look] = style.looks(names)
    if ORACLE in table["mechanism"]:
        looks[ORACLE] = style.ORACLE
    for name, look in looks.items():
        rounds, spent, accuracy = _by_seed(table.filter(pl.col("mechanism") == name))
        _band(left, rounds, accuracy, look)
        _band(right, spent.mean(axis=0), accuracy, look)
    left.set(xlabel="round", ylabel="test accuracy of the trained model")
    right.set(xlabel="USD spent so far (mean over seeds)")
    style.legend(figure, names, oracle=ORACLE in looks)
    return figure


def _by_seed(table: pl.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rounds, and (seeds, rounds) arrays of what was spent so far and of accuracy."""
    ordered = table.sort("seed", "round").with_columns(spent=pl.col("paid").cum_sum().over("seed"))
    seeds = ordered["seed"].n_unique()
    rounds = ordered["round"].unique().sort().to_numpy().astype(np.float64)
    return rounds, *(ordered[name].to_numpy().reshape(seeds, -1) for name in ("spent", "accuracy"))  # type: ignore[return-value]


def _band(axes: Axes, x: FloatArray, values: FloatArray, look: Look) -> None:
    axes.plot(x, values.mean(axis=0), color=look.colour, linestyle=look.line)
    axes.fill_between(x, values.min(axis=0), values.max(axis=0), color=look.colour, alpha=0.12, linewidth=0)


def draw_fleets(tables: list[tuple[pl.DataFrame, Approximation]]) -> Figure:
    """Real accuracy of heterogeneous fleets against the mean of A(D_n, pi_n)."""
    figure, panels = sheet(len(tables), height=3.6, share_y=True)
    for axes, (table, found) in zip(panels, tables, strict=True):
        each = table.group_by("fleet").agg(pl.col("modelled").mean(), pl.col("accuracy").first())
        m, a = each["modelled"].to_numpy(), each["accuracy"].to_numpy()
        ends = np.array([min(m.min(), a.min()), max(m.max(), a.max())])
        axes.plot(ends, ends, color=GREY, linewidth=1, label="w = 1")
        middle, low, high = (float(value) for value in found.w)
        axes.plot(ends, middle * ends, color=KNOWN["lefi"].colour, label=f"w = {middle:.3f} [{low:.3f}, {high:.3f}]")
        axes.plot(m, a, "o", color=KNOWN["bara"].colour, markersize=4)
        axes.set_title(f"{found.fleets} fleets of {found.clients} clients, RMSE {found.rmse:.3f}")
        axes.set_xlabel("mean of A(D, iid) over the clients")
        axes.legend(loc="upper left")
    panels[0].set_ylabel("test accuracy of the trained model")
    return figure
