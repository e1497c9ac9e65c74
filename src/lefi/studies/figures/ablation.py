"""Figure of the section beyond the paper (ours): from the paper's algorithm to waterfill, one change at a time."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lefi.studies.figures.bands import Band, band
from lefi.studies.figures.scenarios import present_share
from lefi.studies.figures.style import KNOWN, Look, sheet
from lefi.studies.plan.paper import ABLATION
from lefi.studies.run.results import Finished, matrix

STUDIES = ("mixed", *ABLATION)
LEAST = 3e-4  # of the axis
TOLD = (5, 10, 20)  # rounds of the caption
STEPS = {  # study -> how the step is drawn; lefi and waterfill, the ends, come from the study `mixed`
    "ablation_joint": Look("joint slope", "#56B4E9", "", (0, (1.2, 1.2))),
    "ablation_log": Look("+ log weights", "#CC79A7", "", (0, (3, 1.2, 1, 1.2))),
    "ablation_exact": Look("+ exact allocation", "#E69F00", "", (0, (5, 1.5))),
    "ablation_limits": Look("+ limits", "#D55E00", "", (0, (2, 1))),
    "ablation_families": Look("+ families of curves", "#8C6D1F", "", (0, (7, 1.5))),
}


@dataclass(frozen=True, eq=False)
class Numbers:
    """Share per round and largest overspend of each step, in order."""

    share: dict[str, Band]
    overspend: dict[str, float]


def compute(*studies: Finished) -> Numbers:
    by_name = {study.name: study for study in studies}
    steps = {"lefi": "mixed"} | {name: name for name in STEPS} | {"waterfill": "mixed"}
    share, overspend = {}, {}
    for step, name in steps.items():
        if (study := by_name.get(name)) is None:
            continue
        mechanism = step if step in study.mechanisms else study.mechanisms[0]
        share[step] = band(matrix(present_share(study).filter(pl.col("mechanism") == mechanism), "share"))
        overspend[step] = float(study.of(mechanism)["overspend"].to_numpy().max())
    return Numbers(share, overspend)


def _look(name: str) -> Look:
    return STEPS[name] if name in STEPS else KNOWN[name]


def draw(numbers: Numbers) -> Figure:
    figure, (lines, bars) = sheet(2, width=9.6, height=3.9)
    for name, share in numbers.share.items():
        look = _look(name)
        missed = np.maximum(1 - np.stack([share.middle, share.high, share.low]), LEAST)
        lines.plot(share.by, missed[0], color=look.colour, linestyle=look.line)
        lines.fill_between(share.by, missed[1], missed[2], color=look.colour, alpha=0.1, linewidth=0)
    lines.set(xscale="log", yscale="log", xlabel="round", ylabel="share of the oracle's gain that is missed")
    lines.set(xlim=(3, lines.dataLim.x1), ylim=(LEAST, 1))
    lines.set_xticks([3, 5, 10, 20, 50, 100], ["3", "5", "10", "20", "50", "100"])
    places = range(len(numbers.overspend))
    looks = [_look(name) for name in numbers.overspend]
    bars.barh(places, [100 * over for over in numbers.overspend.values()], color=[look.colour for look in looks])
    bars.set_yticks(places, [look.label for look in looks])
    bars.invert_yaxis()
    bars.set(xlabel="largest overspend, % of the budget")
    for place, over in zip(places, numbers.overspend.values(), strict=True):
        bars.annotate(f" {100 * over:.2g}", (100 * over, place), va="center", fontsize="small")
    handles = [Line2D([], [], color=look.colour, linestyle=look.line, label=look.label) for look in looks]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def caption(numbers: Numbers) -> str:
    told = "; ".join(
        f"{_look(name).label} {' / '.join(f'{share.at(place)[0]:.3f}' for place in TOLD)}"
        for name, share in numbers.share.items()
    )
    rounds = " / ".join(map(str, TOLD))
    return (
        "One change after the other, mixed clients: median over fleets with its 95% interval, and the largest "
        f"overspend of any round. Share at round {rounds}: {told}. The last step, to waterfill, adds tries "
        "for their own sake: walking down a plateau and looking for thresholds."
    )
