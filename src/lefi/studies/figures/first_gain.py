"""For the first screen: share of the oracle's gain per round, and under it the rounds that overspend."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.studies.figures.bands import Band, bands
from lefi.studies.figures.style import ORACLE, legend, looks
from lefi.studies.run.results import Finished, matrix

OVER = 1e-4  # of the budget: less cannot be seen in the money


@dataclass(frozen=True, eq=False)
class Numbers:
    """Share per mechanism and round, and the share of fleets whose round overspends."""

    share: dict[str, Band]
    over: dict[str, FloatArray]


def compute(study: Finished) -> Numbers:
    share = bands(study.rounds, "share")
    over = {name: np.mean(matrix(study.of(name), "overspend").values > OVER, axis=0) for name in share}
    return Numbers(share, over)


def draw(numbers: Numbers) -> Figure:
    figure = Figure(figsize=(4.9, 4.1), layout="constrained")
    top, rug = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1.25))
    for name, look in looks(numbers.share).items():
        top.plot(numbers.share[name].by, numbers.share[name].middle, color=look.colour, linestyle=look.line)
    top.axhline(1, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    last = max(line.by[-1] for line in numbers.share.values())
    top.set(ylabel="share of the optimum's gain", xlim=(1, last), ylim=(0, 1.04))
    names = list(looks(numbers.share))
    for row, name in enumerate(names):
        over = numbers.over[name]
        rounds = np.flatnonzero(over) + 1
        rug.vlines(rounds, row - 0.42, row + 0.42, colors=[(0.75, 0, 0, 0.25 + 0.75 * over[r - 1]) for r in rounds])
    rug.set_yticks(range(len(names)), names, fontsize=7.5)
    rug.set(xlabel="round (red: some fleet is over the budget)", ylim=(len(names) - 0.5, -0.5))
    rug.grid(visible=False)
    legend(figure, numbers.share, oracle=True)
    return figure


def caption(_: Numbers) -> str:
    return (
        "Clients of mixed speed and rate, 5 USD. 1 = the exact optimum, 0 = arbitrary weights. Red: rounds that "
        "overspend."
    )
