"""Figure 10 (ours): how far above the budget the rounds go."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.studies.figures.style import in_order, label_y, legend, looks, sheet
from lefi.studies.run.results import Finished, matrix

BLOCK = 5  # rounds; single rounds jump up and down too much to be read
LINEAR = 1e-4  # below this overspend (a share of the budget) the axis is linear, so that zero can be seen


@dataclass(frozen=True, eq=False)
class Overspend:
    """The largest overspend over all seeds in each block of rounds, as a share of the budget.

    `rounds` are the middles of the blocks, `peak` is the round of the largest overspend of all.
    """

    rounds: FloatArray
    worst: FloatArray
    peak: int


@dataclass(frozen=True, eq=False)
class Numbers:
    """Per study its scenario, and overspend per mechanism."""

    overspend: list[tuple[str, dict[str, Overspend]]]


def compute(*studies: Finished) -> Numbers:
    return Numbers([(study.scenario, per_mechanism(study)) for study in studies])


def per_mechanism(study: Finished) -> dict[str, Overspend]:
    result = {}
    for name in in_order(study.mechanisms):
        table = matrix(study.of(name), "overspend")
        worst = np.nanmax(table.values, axis=0)
        starts = np.arange(0, worst.size, BLOCK)
        ends = np.append(starts[1:], worst.size)
        middles = (table.by[starts] + table.by[ends - 1]) / 2
        result[name] = Overspend(middles, np.maximum.reduceat(worst, starts), int(table.by[worst.argmax()]))
    return result


def largest(overspend: dict[str, Overspend]) -> float:
    return max(float(line.worst.max()) for line in overspend.values())


def draw_overspend(axes: Axes, overspend: dict[str, Overspend], top: float) -> None:
    """`top` is the largest overspend that the axis has to show."""
    for name, look in looks(overspend).items():
        line = overspend[name]
        axes.plot(
            line.rounds,
            line.worst,
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markersize=4,
            clip_on=False,
        )
    axes.set_yscale("symlog", linthresh=LINEAR, linscale=0.6)
    label_y(axes, 100, "%")
    axes.set(xlabel="round", ylabel="largest overspend [of the budget]", xlim=(0, None))
    axes.set_ylim(0, 1.7 * max(top, LINEAR))


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(len(numbers.overspend), height=3.7, share_y=True)
    top = max(largest(overspend) for _, overspend in numbers.overspend)
    for axes, (scenario, overspend) in zip(panels, numbers.overspend, strict=True):
        draw_overspend(axes, overspend, top)
        axes.set_title(f"scenario {scenario}")
    for axes in panels[1:]:
        axes.set_ylabel("")
    legend(figure, {name for _, lines in numbers.overspend for name in lines}, markers=True)
    return figure


def caption(numbers: Numbers) -> str:
    parts = [f"{scenario}: {_peaks(lines)}" for scenario, lines in numbers.overspend]
    return (
        f"The largest overspend over all fleets in blocks of {BLOCK} rounds. Largest of all, {'; '.join(parts)}. "
        f"The axis is linear below {100 * LINEAR:g}%."
    )


def _peaks(lines: dict[str, Overspend]) -> str:
    told = {name: f"{100 * line.worst.max():.2g}% (round {line.peak})" for name, line in lines.items()}
    return ", ".join(f"{name} {told[name] if line.worst.max() > 0 else 'none'}" for name, line in lines.items())
