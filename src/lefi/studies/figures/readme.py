"""The picture of the README: what is gained and what is overspent, side by side, on scenario mixed."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands
from lefi.studies.figures.gain import draw_share
from lefi.studies.figures.overspend import Overspend, draw_overspend, largest, per_mechanism
from lefi.studies.figures.style import legend, sheet
from lefi.studies.run.results import Finished


@dataclass(frozen=True, eq=False)
class Numbers:
    """Share and overspend per mechanism and round."""

    share: dict[str, Band]
    overspend: dict[str, Overspend]


def compute(study: Finished) -> Numbers:
    return Numbers(bands(study.rounds, "share"), per_mechanism(study))


def draw(numbers: Numbers) -> Figure:
    figure, (left, right) = sheet(2, width=9.6, height=3.4)
    draw_share(left, numbers.share)
    left.set_title("gained (1 = the exact optimum)")
    draw_overspend(right, numbers.overspend, largest(numbers.overspend))
    right.set_title("overspent")
    legend(figure, numbers.share, oracle=True, markers=True)
    return figure
