"""Figure 8: accuracy against the deadline."""

from matplotlib.figure import Figure

from lefi.studies.figures.swept import Sweep, describe, draw_sweep, sweep
from lefi.studies.run.results import Finished


def compute(study: Finished) -> Sweep:
    return sweep(study, "deadline")


def draw(numbers: Sweep) -> Figure:
    return draw_sweep(numbers, "deadline [s]", log=True)


def caption(numbers: Sweep) -> str:
    return describe(numbers, "deadline", "s")
