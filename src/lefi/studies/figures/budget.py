"""Figure 7: accuracy against the budget."""

from matplotlib.figure import Figure

from lefi.studies.figures.swept import Sweep, describe, draw_sweep, sweep
from lefi.studies.run.results import Finished


def compute(study: Finished) -> Sweep:
    return sweep(study, "budget")


def draw(numbers: Sweep) -> Figure:
    return draw_sweep(numbers, "budget [USD per round]")


def caption(numbers: Sweep) -> str:
    return describe(numbers, "budget", "USD")
