"""Figure 10 (ours): overspend per round."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.studies.figures.style import in_order, label_y, legend, looks, sheet
from lefi.studies.results import Finished, matrix

LINEAR = 1e-4  # below this overspend (a share of the budget) the axis is linear, so that zero can be seen


@dataclass(frozen=True, eq=False)
class Overspend:
    """Per round the largest overspend over seeds, and the mean over seeds, as shares of the budget."""

    rounds: FloatArray
    worst: FloatArray
    mean: FloatArray


@dataclass(frozen=True, eq=False)
class Numbers:
    """Overspend per scenario and mechanism."""

    overspend: dict[str, dict[str, Overspend]]


def compute(*studies: Finished) -> Numbers:
    return Numbers({study.rounds["scenario"][0]: per_mechanism(study) for study in studies})


def per_mechanism(study: Finished) -> dict[str, Overspend]:
    result = {}
    for name in in_order(study.mechanisms):
        table = matrix(study.rounds.filter(pl.col("mechanism") == name), "overspend")
        result[name] = Overspend(table.by, np.nanmax(table.values, axis=0), np.nanmean(table.values, axis=0))
    return result


def draw_overspend(axes: Axes, overspend: dict[str, Overspend]) -> None:
    look = looks(overspend)
    for name, line in overspend.items():
        axes.plot(line.rounds, line.worst, color=look[name].colour, linestyle=look[name].line, linewidth=1.5)
    last = max(line.rounds[-1] for line in overspend.values())
    axes.set_yscale("symlog", linthresh=LINEAR, linscale=0.6)
    label_y(axes, 100, "%")
    axes.set(xlabel="round", ylabel="overspend, worst fleet [of the budget]", xlim=(1, last), ylim=(0, None))


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(len(numbers.overspend), height=3.7)
    for axes, (scenario, overspend) in zip(panels, numbers.overspend.items(), strict=True):
        draw_overspend(axes, overspend)
        axes.set_title(f"scenario {scenario}")
    legend(figure, {name for lines in numbers.overspend.values() for name in lines})
    return figure


def caption(numbers: Numbers) -> str:
    parts = []
    for scenario, lines in numbers.overspend.items():
        worst = ", ".join(
            f"{name} {100 * line.worst.max():.2g}% (round {line.rounds[line.worst.argmax()]:.0f})"
            if line.worst.max() > 0
            else f"{name} none"
            for name, line in lines.items()
        )
        parts.append(f"{scenario}: {worst}")
    return (
        f"The worst fleet in each round. Largest overspend of all, {'; '.join(parts)}. The axis is linear below 0.01%."
    )
