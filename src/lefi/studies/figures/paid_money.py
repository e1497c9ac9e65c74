"""Paid training where money is short, really trained: test accuracy against money, beside what the model says."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from lefi.arrays import FloatArray
from lefi.models.measurements import shipped_table
from lefi.optimum import ORACLE
from lefi.studies.figures import style
from lefi.studies.figures.style import Look, grid
from lefi.studies.figures.trained_accuracy import DATA
from lefi.studies.judge.statistics import median, told

BOUNDS = {ORACLE: style.ORACLE, "first_best": style.FIRST_BEST}
CONTROL = "uniform"  # every other mechanism is compared with it, on the same clients and samples


@dataclass(frozen=True, eq=False)
class Panel:
    """One data set: budgets, and for each mechanism (seeds, budgets) of accuracy after the last round."""

    data: str
    rounds: int
    budgets: FloatArray
    trained: dict[str, FloatArray]
    modelled: dict[str, FloatArray]


def compute() -> list[Panel]:
    """The runs that ship with lefi."""
    return [panel(data, shipped_table(data, "loop")) for data in DATA]


def panel(data: str, table: pl.DataFrame) -> Panel:
    last = table.filter(pl.col("round") == pl.col("round").max()).sort("seed", "budget")
    budgets = last["budget"].unique().sort().to_numpy()
    names = last["mechanism"].unique().to_list()
    ordered = [
        *style.in_order(name for name in names if name not in BOUNDS),
        *(name for name in BOUNDS if name in names),
    ]

    def ends(column: str) -> dict[str, FloatArray]:
        return {n: last.filter(mechanism=n)[column].to_numpy().reshape(-1, budgets.size) for n in ordered}

    return Panel(data, int(table["round"].max()), budgets, ends("accuracy"), ends("modelled"))  # type: ignore[arg-type]


def draw(panels: list[Panel]) -> Figure:
    figure, axes_of = grid(2 * len(panels), columns=len(panels))
    names = list(panels[0].trained)
    looks = BOUNDS | style.looks(name for name in names if name not in BOUNDS)
    for column, one in enumerate(panels):
        name = DATA.get(one.data, one.data)
        for row, (ends, how) in enumerate(((one.trained, "trained"), (one.modelled, "modelled"))):
            axes = axes_of[row * len(panels) + column]
            for place, mechanism in enumerate(ends):
                _dots(axes, one.budgets, ends[mechanism], looks[mechanism], place / len(ends) - 0.5)
            axes.set_title(f"{name}: {how}")
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator(one.budgets.tolist()))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_ylabel("accuracy" if column == 0 else "")
            axes.set_xlabel("USD per round, 10 clients" if row == 1 else "")
    shown = [name for name in names if name not in BOUNDS]
    style.legend(figure, shown, oracle=ORACLE in names, first_best="first_best" in names, markers=True)
    return figure


def _dots(axes: Axes, budgets: FloatArray, values: FloatArray, look: Look, aside: float) -> None:
    """The median, and a line from the least to the most seed; mechanisms stand beside each other."""
    x = budgets * 1.5**aside
    axes.vlines(x, values.min(axis=0), values.max(axis=0), color=look.colour, linewidth=1)
    axes.plot(x, np.median(values, axis=0), color=look.colour, linestyle=look.line, marker=look.marker, linewidth=0.8)


def differences(one: Panel) -> dict[str, list[str]]:
    """For each mechanism and budget: what it is ahead of the control, paired; "-" where seeds disagree on the sign."""
    found: dict[str, list[str]] = {}
    for name, ends in one.trained.items():
        if name != CONTROL and name not in BOUNDS:
            ahead = ends - one.trained[CONTROL]
            sure = np.atleast_1d((ahead > 0).all(axis=0) | (ahead < 0).all(axis=0))
            found[name] = [told(median(part), 2) if so else "-" for part, so in zip(ahead.T, sure, strict=True)]
    return found


def caption(panels: list[Panel]) -> str:
    parts = []
    for one in panels:
        rows = "; ".join(f"{name} {', '.join(cells)}" for name, cells in differences(one).items())
        parts.append(f"On {DATA.get(one.data, one.data)}: {rows}.")
    seeds = next(iter(panels[0].trained.values())).shape[0]
    budgets = ", ".join(f"{budget:g}" for budget in panels[0].budgets)
    return (
        f"Ten clients of the scenario mixed, {panels[0].rounds} rounds, {seeds} seeds: medians, and lines from the "
        f"least to the most seed. Test accuracy ahead of {CONTROL} with {budgets} USD (paired, median and range over "
        f"seeds; - where seeds disagree): {' '.join(parts)} A mean over clients cannot see what a joint model makes "
        "of few clients with much data: auction, which buys those, is better than the model says."
    )
