"""Figure 2: accuracy that one client's data buys, against its size, for several degrees of iid.

Beside it A_system, which a comment in the paper's source gives: the accuracy of the whole system in the same terms.
"""

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.models import accuracy
from lefi.studies.figures.style import sheet

SIZE_HIGH = 10.0
IID = (0.1, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Sizes in thousand samples; one row of accuracy per degree of iid; the same under A_system."""

    size: FloatArray
    iid: FloatArray
    accuracy: FloatArray
    system: FloatArray


def compute() -> Numbers:
    size, iid = np.linspace(0, SIZE_HIGH, 101), np.array(IID)
    one, system = (accuracy(name)(size[None, :], iid[:, None]) for name in ("paper", "paper-system"))
    return Numbers(size, iid, one, system)


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(2, share_y=True)
    shades = colormaps["viridis"](np.linspace(0.0, 0.82, numbers.iid.size))
    for axes, rows, title in zip(panels, (numbers.accuracy, numbers.system), ("A", "A_system"), strict=True):
        for iid, row, shade in zip(numbers.iid, rows, shades, strict=True):
            axes.plot(numbers.size, row, color=shade, label=f"iid {iid:g}")
        axes.set(xlabel="size D [thousand samples]", xlim=(0, SIZE_HIGH), ylim=(0, None), title=title)
    panels[0].set_ylabel("accuracy")
    panels[1].legend(loc="upper left", frameon=False)
    return figure


def caption(numbers: Numbers) -> str:
    low, high = numbers.accuracy[0], numbers.accuracy[-1]
    bend = np.diff(numbers.accuracy, axis=1)
    flat = float((bend[:, -1] / bend[:, 0]).mean())
    return (
        f"The paper's quadratic. Ten thousand samples lift accuracy from {low[0]:.3f} to {low[-1]:.3f} at iid "
        f"{numbers.iid[0]:g} and from {high[0]:.3f} to {high[-1]:.3f} at iid {numbers.iid[-1]:g}. The curves hardly "
        f"bend: the last sample still buys {100 * flat:.0f}% of what the first one buys, so clients differ little in "
        "what their data is worth, and much of the allocation is decided by their costs. On the right the accuracy of "
        "the whole system as a comment in the paper's source has it (RMSE 0.019 there): the same ten thousand samples "
        f"buy {numbers.system[-1, -1] - numbers.system[-1, 0]:.3f} instead of {high[-1] - high[0]:.3f} at iid "
        f"{numbers.iid[-1]:g}. Every command takes it as --accuracy paper-system."
    )
