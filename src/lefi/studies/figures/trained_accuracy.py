"""Accuracy of really trained models against size, for several degrees of iid: measured points and the fit."""

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.models import AccuracyModel, accuracy
from lefi.models.measurements import final_means, shipped_table
from lefi.studies.figures.style import sheet

DATA = {"cifar10": "CIFAR-10", "gtsrb": "GTSRB"}


@dataclass(frozen=True, eq=False)
class Numbers:
    """Cells of a grid: size, iid, mean and standard deviation of accuracy over seeds; and the fitted model."""

    size: FloatArray
    iid: FloatArray
    accuracy: FloatArray
    spread: FloatArray
    model: AccuracyModel


def compute() -> dict[str, Numbers]:
    """The measurements that ship with lefi and were made on a GPU, by data set."""
    return {name: Numbers(*final_means(shipped_table(name, "accuracy")), accuracy(name)) for name in DATA}


def draw(measured: dict[str, Numbers]) -> Figure:
    figure, panels = sheet(len(measured), width=6.2 if len(measured) == 1 else None, height=4.0)
    for axes, (name, numbers) in zip(panels, measured.items(), strict=True):
        draw_cells(axes, numbers)
        axes.set_title(DATA.get(name, name))
    panels[0].set_ylabel("test accuracy (bars: sd of seeds)")
    return figure


def draw_cells(axes: Axes, numbers: Numbers) -> None:
    """Points with their spread, and the fit, one shade per degree of iid."""
    degrees = np.unique(numbers.iid)
    shades = colormaps["viridis"](np.linspace(0.0, 0.82, degrees.size))
    line = np.linspace(numbers.size.min(), numbers.size.max(), 200)
    for degree, shade in zip(degrees[::-1], shades[::-1], strict=True):
        here = numbers.iid == degree
        cells = numbers.size[here], numbers.accuracy[here], numbers.spread[here]
        axes.errorbar(*cells, fmt="o", color=shade, capsize=2, elinewidth=0.9, markersize=4)
        axes.plot(line, numbers.model(line, degree), color=shade, label=f"iid {degree:g}")
    axes.set(xlabel="size D [thousand samples]", xlim=(0, None), ylim=(0, None))
    axes.legend(loc="lower right", ncols=2)


def caption(measured: dict[str, Numbers]) -> str:
    paper, parts = accuracy("paper"), []
    for name, numbers in measured.items():
        error = float(np.sqrt(np.mean((numbers.model(numbers.size, numbers.iid) - numbers.accuracy) ** 2)))
        best = numbers.accuracy.argmax()
        size, iid, top = numbers.size[best], numbers.iid[best], numbers.accuracy[best]
        parts.append(
            f"{DATA.get(name, name)}: RMSE {error:.3f}; the best cell, size {size:g} thousand at iid {iid:g}, reaches "
            f"{top:.3f}, where the paper's model says {float(paper(size, iid)):.3f}"
        )
    return (
        "Really trained: five clients with distinct samples, FedAvg, a small CNN, 30 rounds, 6 seeds, on one GPU. "
        f"Points are means over seeds, curves the presets. {'. '.join(parts)}. Measured curves bend much more than "
        "the paper's. Those of traffic signs first bend up: little data buys almost nothing."
    )
