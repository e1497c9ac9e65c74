"""Figure of the section beyond the paper (ours): share of the oracle's gain per round, in every scenario."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands
from lefi.studies.figures.gain import draw_share
from lefi.studies.figures.style import grid, legend
from lefi.studies.plan.paper import BEYOND
from lefi.studies.run.results import Finished

STUDIES = ("convergence", BEYOND[0], "mixed", *BEYOND[1:])  # the paper's clients, and then ever stranger ones


@dataclass(frozen=True, eq=False)
class Numbers:
    """Per study its scenario, and share per mechanism and round; `changing` are the scenarios whose fleets change."""

    share: list[tuple[str, dict[str, Band]]]
    changing: list[str]


def changes(study: Finished) -> bool:
    """Whether the optimum moves while a run lasts."""
    moves = study.rounds.group_by("seed").agg(pl.col("oracle").n_unique() > 1)
    return bool(moves["oracle"].any())


def compute(*studies: Finished) -> Numbers:
    share = [(study.scenario, bands(study.rounds, "share")) for study in studies]
    return Numbers(share, [study.scenario for study in studies if changes(study)])


def draw(numbers: Numbers) -> Figure:
    figure, panels = grid(len(numbers.share))
    for axes, (scenario, share) in zip(panels, numbers.share, strict=True):
        draw_share(axes, share)
        axes.set(title=scenario, xlabel="", ylabel="", ylim=(0, 1.04))
    figure.supxlabel("round", fontsize="medium")
    figure.supylabel("share of the oracle's gain", fontsize="medium")
    legend(figure, {name for _, share in numbers.share for name in share}, oracle=True)
    return figure


def caption(numbers: Numbers) -> str:
    ends = ", ".join(f"{scenario} {_first(share)}" for scenario, share in numbers.share)
    present = f" In {' and '.join(numbers.changing)} the clients change, and so all are judged by the current round."
    return (
        "0 = arbitrary weights, 1 = the exact optimum. Median over fleets with its 95% interval; what lies below 0 "
        f"is cut off. Highest median in the last round: {ends}.{present if numbers.changing else ''}"
    )


def _first(share: dict[str, Band]) -> str:
    """The mechanism that is highest at the end, and how high."""
    ends = {name: float(line.middle[-1]) for name, line in share.items() if not np.isnan(line.middle[-1])}
    name = max(ends, key=ends.__getitem__, default="")
    return f"{name} {ends[name]:.3f}" if name else "undefined"
