"""Accuracy of really trained models against size, for several degrees of iid: measured points and the fit."""

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.models import AccuracyModel, accuracy
from lefi.models.measurements import final_means, shipped_table
from lefi.studies.figures.style import sheet


@dataclass(frozen=True, eq=False)
class Numbers:
    """Cells of a grid: size, iid, mean and standard deviation of accuracy over seeds; and the fitted model."""

    size: FloatArray
    iid: FloatArray
    accuracy: FloatArray
    spread: FloatArray
    model: AccuracyModel


def compute() -> Numbers:
    """The CIFAR-10 measurement that ships with lefi."""
    return Numbers(*final_means(shipped_table("cifar10", "accuracy")), accuracy("cifar10"))


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(width=6.2, height=4.0)
    degrees = np.unique(numbers.iid)
    shades = colormaps["viridis"](np.linspace(0.0, 0.82, degrees.size))
    line = np.linspace(numbers.size.min(), numbers.size.max(), 200)
    for degree, shade in zip(degrees[::-1], shades[::-1], strict=True):
        here = numbers.iid == degree
        cells = numbers.size[here], numbers.accuracy[here], numbers.spread[here]
        axes.errorbar(*cells, fmt="o", color=shade, capsize=2, elinewidth=0.9, markersize=4)
        axes.plot(line, numbers.model(line, degree), color=shade, label=f"iid {degree:g}")
    axes.set(xlabel="size D [thousand samples]", ylabel="test accuracy (bars: sd of seeds)")
    axes.set(xlim=(0, None), ylim=(0, None))
    axes.legend(loc="lower right", ncols=2)
    return figure


def caption(numbers: Numbers) -> str:
    paper = accuracy("paper")
    error = float(np.sqrt(np.mean((numbers.model(numbers.size, numbers.iid) - numbers.accuracy) ** 2)))
    best = numbers.accuracy.argmax()
    size, iid, top = numbers.size[best], numbers.iid[best], numbers.accuracy[best]
    return (
        "Really trained: five clients, FedAvg, a small CNN on CIFAR-10, 30 rounds, 8 seeds, on one GPU. Points are "
        f"means over seeds; the curves are the preset cifar10 (RMSE {error:.3f}). The best cell, size {size:g} "
        f"thousand at iid {iid:g}, reaches {top:.3f}; the paper's model says {float(paper(size, iid)):.3f} there. "
        "Measured curves bend much more than the paper's: the first thousands of samples buy most of the accuracy."
    )
