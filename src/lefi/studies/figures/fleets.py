"""The paper's sum against really trained fleets whose clients differ in size and iid."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.models.measurements import shipped_table
from lefi.studies.figures.style import GREY, KNOWN, sheet
from lefi.studies.judge.combined_accuracy import Approximation, fleet_means, judge_fleets
from lefi.studies.judge.statistics import told


@dataclass(frozen=True, eq=False)
class Panel:
    """Fleets of one number of clients: mean of A over clients, real accuracy, and what w makes of it."""

    modelled: FloatArray
    accuracy: FloatArray
    found: Approximation


def compute() -> list[Panel]:
    """The CIFAR-10 fleets that ship with lefi."""
    table = shipped_table("cifar10", "fleets")
    parts = [table.filter(pl.col("clients") == clients) for clients in sorted(table["clients"].unique())]
    return [Panel(*fleet_means(part), judge_fleets(part)) for part in parts]


def draw(panels: list[Panel]) -> Figure:
    figure, axes_of = sheet(len(panels), height=3.6, share_y=True)
    for axes, panel in zip(axes_of, panels, strict=True):
        ends = np.array([panel.modelled.min(), panel.modelled.max()])
        axes.plot(ends, ends, color=GREY, linewidth=1, label="w = 1")
        axes.plot(
            ends, float(panel.found.w.middle) * ends, color=KNOWN["lefi"].colour, label=f"w = {told(panel.found.w)}"
        )
        axes.plot(panel.modelled, panel.accuracy, "o", color=KNOWN["bara"].colour, markersize=4)
        axes.set_title(f"{panel.found.fleets} fleets of {panel.found.clients} clients")
        axes.set_xlabel("mean of A(D, iid) over the clients")
        axes.legend(loc="upper left")
    axes_of[0].set_ylabel("test accuracy of the trained model")
    return figure


def caption(panels: list[Panel]) -> str:
    parts = [
        f"{panel.found.clients} clients: w {told(panel.found.w)}, RMSE {panel.found.rmse:.3f}, against "
        f"{panel.found.rmse_constant:.3f} for one constant, correlation {panel.found.correlation:.2f}"
        for panel in panels
    ]
    return (
        "Each point is a fleet whose clients differ in size (0.5 to 10 thousand) and iid (0.1 to 1), really trained "
        f"for 30 rounds on CIFAR-10. {'; '.join(parts)}. That w is above 1 fits with labels that one client lacks and "
        "another has, which a sum over clients cannot see."
    )
