"""Figure of the section beyond the paper (ours): from the paper's algorithm to waterfill, one change at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lefi.studies.figures.bands import Band, bands
from lefi.studies.figures.style import KNOWN, Look, sheet
from lefi.studies.plan.paper import ABLATION
from lefi.studies.run.results import Finished

STUDIES = (ABLATION,)
LEAST = 3e-4  # of the axis
TOLD = (5, 10, 20)  # rounds of the caption
COLOURS = ("#56B4E9", "#CC79A7", "#E69F00", "#D55E00", "#8C6D1F")
LINES = ((0, (1.2, 1.2)), (0, (3, 1.2, 1, 1.2)), (0, (5, 1.5)), (0, (2, 1)), (0, (7, 1.5)))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Share per round and largest overspend of each step, in order."""

    share: dict[str, Band]
    overspend: dict[str, float]


def compute(study: Finished) -> Numbers:
    """The variants of the study, in its order."""
    share = bands(study.rounds, "share")
    worst = {label: float(study.of(label)["overspend"].to_numpy().max()) for label in study.labels}
    return Numbers({label: share[label] for label in study.labels}, worst)


def _looks(names: Iterable[str]) -> dict[str, Look]:
    """The ends as everywhere, the steps between them in colours of their own."""
    steps = (Look(*look) for look in zip(["", *[""] * 4], COLOURS, [""] * 5, LINES, strict=True))
    return {name: KNOWN[name] if name in KNOWN else replace(next(steps), label=name) for name in names}


def draw(numbers: Numbers) -> Figure:
    figure, (lines, bars) = sheet(2, width=9.6, height=3.9)
    look_of = _looks(numbers.share)
    for name, share in numbers.share.items():
        look = look_of[name]
        missed = np.maximum(1 - np.stack([share.middle, share.high, share.low]), LEAST)
        lines.plot(share.by, missed[0], color=look.colour, linestyle=look.line)
        lines.fill_between(share.by, missed[1], missed[2], color=look.colour, alpha=0.1, linewidth=0)
    lines.set(xscale="log", yscale="log", xlabel="round", ylabel="share of the oracle's gain that is missed")
    lines.set(xlim=(3, lines.dataLim.x1), ylim=(LEAST, 1))
    lines.set_xticks([3, 5, 10, 20, 50, 100], ["3", "5", "10", "20", "50", "100"])
    places = range(len(numbers.overspend))
    looks = list(look_of.values())
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
        f"{name} {' / '.join(f'{share.at(place)[0]:.3f}' for place in TOLD)}" for name, share in numbers.share.items()
    )
    rounds = " / ".join(map(str, TOLD))
    return (
        "One change after the other, mixed clients: median over fleets with its 95% interval, and the largest "
        f"overspend of any round. Share at round {rounds}: {told}. The last step, to waterfill, adds tries "
        "for their own sake: walking down a plateau and looking for thresholds."
    )
