"""Pictures of a measurement: the paper's two profiling figures from measured points, and who holds which labels."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from lefi.arrays import FloatArray
from lefi.models import FittedAccuracy, Learning, LinearCost
from lefi.models.measurements import final_means
from lefi.studies.figures import trained_accuracy
from lefi.studies.figures.style import GREY, KNOWN, sheet


def draw_accuracy(accuracy: pl.DataFrame, model: FittedAccuracy, rmse_left_out: float) -> Figure:
    """Test accuracy after the last round against size, one curve per iid: measured points and the chosen fit."""
    title = f"{model.kind} fit: RMSE {rmse_left_out:.3f} on cells left out"
    return trained_accuracy.draw({title: trained_accuracy.Numbers(*final_means(accuracy), model)})


def draw_learning(tables: Sequence[pl.DataFrame], learning: Learning) -> Figure:
    """Test accuracy by round, a panel for each of a few degrees of iid: measured means and the fit for each size."""
    whole = pl.concat([table.select("size", "iid", "round", "accuracy") for table in tables])
    means = whole.group_by("size", "iid", "round").agg(pl.col("accuracy").mean()).sort("size", "iid", "round")
    degrees = means["iid"].unique().sort().to_list()
    shown = sorted({degrees[0], degrees[len(degrees) // 2], degrees[-1]})
    sizes = means["size"].unique().sort().to_list()
    colours = colormaps["viridis"](np.linspace(0, 0.9, len(sizes)))
    figure, panels = sheet(len(shown), width=3.4 * len(shown) + 1, height=3.6, share_y=True)
    for axes, iid in zip(panels, shown, strict=True):
        for size, colour in zip(sizes, colours, strict=True):
            own = means.filter(pl.col("size") == size, pl.col("iid") == iid)
            if own.height:
                t = np.geomspace(1, own["round"].to_numpy().max(), 60)
                axes.plot(own["round"], own["accuracy"], ".", color=colour, markersize=3, alpha=0.6)
                axes.plot(t, learning.after(size, iid, t), color=colour, linewidth=1.4, label=f"{size:g} thousand")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set(title=f"iid {iid:g}", xlabel="round")
    panels[0].set_ylabel("test accuracy")
    longest = max(panels, key=lambda axes: len(axes.get_legend_handles_labels()[0]))
    figure.legend(*longest.get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure


def draw_cost(cost: pl.DataFrame, model: LinearCost) -> Figure:
    """Counted TFLOP and timed seconds of one client's round against size."""
    D = cost["size"].to_numpy()
    line = np.linspace(0, D.max(), 50)
    figure, (left, right) = sheet(2)
    colour = KNOWN["lefi"].colour
    left.plot(D, cost["tflop"].to_numpy(), "o", color=colour, label="counted")
    left.plot(line, model(line), color=colour, label=f"{model.p:.3g} D + {model.q:.3g}")
    left.set(title="computing", ylabel="TFLOP per round")
    right.plot(D, cost["seconds"].to_numpy(), "s", color=KNOWN["uniform"].colour, label="timed, one client alone")
    right.set(title="time on this device", ylabel="seconds per round")
    for axes in (left, right):
        axes.set(xlabel="size D [thousand samples]", xlim=(0, None), ylim=(0, None))
        axes.legend(loc="upper left")
    return figure


def draw_labels(parts: dict[float, tuple[FloatArray, FloatArray]]) -> Figure:
    """One panel per iid: label shares (clients, labels), and each client's distance from the whole data set."""
    figure, panels = sheet(len(parts), width=2.3 * len(parts), height=3.2, share_y=True)
    for axes, (iid, (shares, distance)) in zip(panels, parts.items(), strict=True):
        clients, classes = shares.shape
        colours = colormaps["tab10" if classes <= 10 else "viridis"](np.linspace(0, 1, classes))
        below = np.zeros(clients)
        for label in range(classes):
            axes.bar(np.arange(clients), shares[:, label], bottom=below, color=colours[label], width=0.8)
            below += shares[:, label]
        axes.set_title(f"iid {iid:g}")
        axes.set_xlabel(f"client\ndistance {distance.mean():.2f}", color=GREY)
        axes.set_xticks(np.arange(clients))
        axes.grid(visible=False)
    panels[0].set_ylabel("share of each label")
    return figure
