"""Pictures of a measurement: the paper's two profiling figures from measured points, and who holds which labels."""

import numpy as np
import polars as pl
from matplotlib import colormaps
from matplotlib.figure import Figure

from lefi.profiling.fit import Fit
from lefi.profiling.partition import Partition
from lefi.studies.figures import measured
from lefi.studies.figures.style import GREY, KNOWN, sheet
from lefi.studies.measured import final_means


def draw_accuracy(accuracy: pl.DataFrame, fitted: Fit) -> Figure:
    """Test accuracy after the last round against size, one curve per iid: measured points and the chosen fit."""
    model = fitted.accuracy.model
    figure = measured.draw(measured.Numbers(*final_means(accuracy), model))
    figure.axes[0].set_title(f"{model.kind} fit: RMSE {fitted.accuracy.rmse_left_out:.3f} on cells left out")
    return figure


def draw_cost(cost: pl.DataFrame, fitted: Fit) -> Figure:
    """Counted TFLOP and timed seconds of one client's round against size."""
    D = cost["size"].to_numpy()
    line = np.linspace(0, D.max(), 50)
    figure, (left, right) = sheet(2)
    colour = KNOWN["lefi"].colour
    left.plot(D, cost["tflop"].to_numpy(), "o", color=colour, label="counted")
    left.plot(line, fitted.cost(line), color=colour, label=f"{fitted.cost.p:.3g} D + {fitted.cost.q:.3g}")
    left.set(title="computing", ylabel="TFLOP per round")
    right.plot(D, cost["seconds"].to_numpy(), "s", color=KNOWN["uniform"].colour, label="timed, one client alone")
    right.set(title="time on this device", ylabel="seconds per round")
    for axes in (left, right):
        axes.set(xlabel="size D [thousand samples]", xlim=(0, None), ylim=(0, None))
        axes.legend(loc="upper left")
    return figure


def draw_labels(parts: dict[float, Partition]) -> Figure:
    """Label shares of each client, one panel per iid, with the measured distance from the whole data set."""
    figure, panels = sheet(len(parts), width=2.3 * len(parts), height=3.2, share_y=True)
    for axes, (iid, part) in zip(panels, parts.items(), strict=True):
        clients, classes = part.shares.shape
        colours = colormaps["tab10" if classes <= 10 else "viridis"](np.linspace(0, 1, classes))
        below = np.zeros(clients)
        for label in range(classes):
            axes.bar(np.arange(clients), part.shares[:, label], bottom=below, color=colours[label], width=0.8)
            below += part.shares[:, label]
        axes.set_title(f"iid {iid:g}")
        axes.set_xlabel(f"client\ndistance {part.distance.mean():.2f}", color=GREY)
        axes.set_xticks(np.arange(clients))
        axes.grid(visible=False)
    panels[0].set_ylabel("share of each label")
    return figure
