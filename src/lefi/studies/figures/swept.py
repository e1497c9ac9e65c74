"""Accuracy against a swept setting: shared by figures 7 (budget) and 8 (deadline)."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, band, bands, draw_band
from lefi.studies.figures.style import ORACLE, in_order, legend, looks, sheet, ticks_at
from lefi.studies.run.results import Finished, Matrix, matrix

REFERENCE = "lefi"


@dataclass(frozen=True, eq=False)
class Sweep:
    """Final judged accuracy, and lefi's lead over the others in percentage points, over the swept setting."""

    accuracy: dict[str, Band]
    lead: dict[str, Band]
    oracle: Band


def sweep(study: Finished, setting: str) -> Sweep:
    final = study.final()
    seeds = sorted(final["seed"].unique())
    tables = {
        name: matrix(final.filter(pl.col("mechanism") == name), "judged", setting, seeds=seeds)
        for name in in_order(final["mechanism"].unique())
    }
    per_market = final.group_by("seed", setting).agg(pl.col("oracle").first())
    return Sweep(bands(final, "judged", setting), leads(tables), band(matrix(per_market, "oracle", setting)))


def leads(tables: dict[str, Matrix]) -> dict[str, Band]:
    """lefi minus each other mechanism, seed by seed, where both were measured."""
    ours = tables.get(REFERENCE)
    if ours is None:
        return {}
    result = {}
    for name, theirs in tables.items():
        both = np.intersect1d(ours.by, theirs.by)
        if name != REFERENCE and both.size:
            gap = np.stack([ours.at(place) - theirs.at(place) for place in both], axis=1)
            result[name] = band(Matrix(ours.seeds, both, 100 * gap))
    return result


def draw_sweep(numbers: Sweep, label: str, *, log: bool = False) -> Figure:
    figure, (left, right) = sheet(2, height=3.8)
    look = looks(numbers.accuracy)
    for name, line in numbers.accuracy.items():
        draw_band(left, line, look[name], markers=True, alpha=0)  # fleets differ more than mechanisms: bands hide them
    left.plot(numbers.oracle.by, numbers.oracle.middle, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    for name, line in numbers.lead.items():
        draw_band(right, line, look[name], markers=True)
    right.axhline(0, color=look[REFERENCE].colour if REFERENCE in look else "black")
    left.set_title("accuracy in the last round")
    right.set_title("lead of lefi over each other mechanism")
    left.set(ylabel="accuracy")
    right.set(ylabel="lead [percentage points]")
    for axes in (left, right):
        _x_axis(axes, numbers.oracle.by, label, log)
    legend(figure, numbers.accuracy, oracle=True, markers=True)
    return figure


def _x_axis(axes: Axes, values: "np.typing.NDArray[np.float64]", label: str, log: bool) -> None:
    if log:
        axes.set_xscale("log")
    ticks_at(axes, values)
    axes.set_xlabel(label)


def describe(numbers: Sweep, what: str, unit: str) -> str:
    """Where accuracy starts and ends, and where lefi's lead is largest."""
    values = numbers.oracle.by
    ends = "; ".join(
        f"{name} {line.middle[0]:.4f} at {line.by[0]:g} {unit} and {line.middle[-1]:.4f} at {line.by[-1]:g} {unit}"
        for name, line in numbers.accuracy.items()
    )
    lead = "; ".join(
        f"over {name} {line.middle.max():+z.2f} at {line.by[line.middle.argmax()]:g} {unit}"
        for name, line in numbers.lead.items()
    )
    return (
        f"Median accuracy by {what} (oracle {numbers.oracle.middle[0]:.4f} at {values[0]:g} and "
        f"{numbers.oracle.middle[-1]:.4f} at {values[-1]:g} {unit}): {ends}. Largest paired lead of lefi in "
        f"percentage points: {lead or 'not measured'}. Below zero the other mechanism is ahead."
    )
