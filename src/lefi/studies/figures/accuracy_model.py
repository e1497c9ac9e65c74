"""Figure 2: accuracy that one client's data buys, against its size, for several degrees of iid."""

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
    """Sizes in thousand samples; one row of accuracy per degree of iid."""

    size: FloatArray
    iid: FloatArray
    accuracy: FloatArray


def compute() -> Numbers:
    model = accuracy("paper")
    size, iid = np.linspace(0, SIZE_HIGH, 101), np.array(IID)
    return Numbers(size, iid, model(size[None, :], iid[:, None]))


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet()
    shades = colormaps["viridis"](np.linspace(0.0, 0.82, numbers.iid.size))
    for iid, row, shade in zip(numbers.iid, numbers.accuracy, shades, strict=True):
        axes.plot(numbers.size, row, color=shade)
        label = f"iid {iid:g}"
        axes.annotate(label, (numbers.size[-1], row[-1]), xytext=(5, 0), textcoords="offset points", va="center")
    axes.set(xlabel="size D [thousand samples]", ylabel="accuracy A(D, iid)", xlim=(0, SIZE_HIGH), ylim=(0, None))
    return figure


def caption(numbers: Numbers) -> str:
    low, high = numbers.accuracy[0], numbers.accuracy[-1]
    bend = np.diff(numbers.accuracy, axis=1)
    flat = float((bend[:, -1] / bend[:, 0]).mean())
    return (
        f"The paper's quadratic. Ten thousand samples lift accuracy from {low[0]:.3f} to {low[-1]:.3f} at iid "
        f"{numbers.iid[0]:g} and from {high[0]:.3f} to {high[-1]:.3f} at iid {numbers.iid[-1]:g}. The curves hardly "
        f"bend: the last sample still buys {100 * flat:.0f}% of what the first one buys, so clients differ little in "
        "what their data is worth, and much of the allocation is decided by their costs."
    )
