"""What clients keep, and what one of them gains by pretending to cost more.

surplus  payment - expense of a client [USD per round], mean over all rounds: learning counts
gain     surplus of client 0 with the margin that suits it best, over its surplus when it is honest; per fleet
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.studies.figures.style import in_order, looks, sheet
from lefi.studies.run.results import Finished, matrix

MILLI = 1e3  # surplus is drawn in thousandths of a USD
PRETENDER = 0


@dataclass(frozen=True, eq=False)
class Numbers:
    """Per mechanism: surplus of every honest client, gain of the pretender per fleet, worst loss of any client."""

    surplus: dict[str, FloatArray]
    gain: dict[str, FloatArray]
    loss: dict[str, float]


def compute(study: Finished) -> Numbers:
    mean = study.clients.group_by("mechanism", "holdout", "seed", "id").agg(pl.col("surplus").mean())
    honest = mean.filter(pl.col("holdout") == 0)
    names = in_order(mean["mechanism"].unique())
    surplus = {name: honest.filter(pl.col("mechanism") == name)["surplus"].to_numpy() for name in names}
    own = mean.filter(pl.col("id") == PRETENDER)
    gain = {}
    for name in names:
        table = matrix(own.filter(pl.col("mechanism") == name), "surplus", "holdout").values
        gain[name] = table.max(axis=1) - table[:, 0]
    worst = study.rounds.filter(pl.col("holdout") == 0).group_by("mechanism").agg(pl.col("worst_off").min())
    loss = dict(zip(worst["mechanism"], worst["worst_off"], strict=True))
    return Numbers(surplus, gain, {name: float(loss[name]) for name in names})


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(2, width=9.2, height=3.8)
    look = looks(numbers.surplus)
    titles = ("what a client keeps", "what pretending to cost more adds")
    for axes, values, title in zip(panels, (numbers.surplus, numbers.gain), titles, strict=True):
        boxes = axes.boxplot(
            [MILLI * values[name] for name in look],
            tick_labels=[look[name].label for name in look],
            whis=(5, 95),
            showfliers=False,
            patch_artist=True,
            medianprops={"color": "black"},
        )
        for box, name in zip(boxes["boxes"], look, strict=True):
            box.set(facecolor=look[name].colour, alpha=0.55)
        axes.axhline(0, color="#6B6B6B", linewidth=0.8)
        axes.set_title(title)
        axes.set_ylabel("thousandths of a USD per round")
        axes.tick_params(axis="x", rotation=30)
    return figure


def caption(numbers: Numbers) -> str:
    parts = []
    for name, kept in numbers.surplus.items():
        low, middle, high = MILLI * np.quantile(kept, (0.05, 0.5, 0.95))
        gain = MILLI * float(np.median(numbers.gain[name]))
        top = MILLI * float(numbers.gain[name].max())
        parts.append(
            f"{name} {middle:z.2f} ({low:z.2f} to {high:z.2f}), gain {gain:z.2f}, at most {top:z.2f}, "
            f"worst round of any client {MILLI * numbers.loss[name]:z.2f}"
        )
    return (
        "In thousandths of a USD per round: what a client keeps (median over clients and fleets, 5th to 95th "
        "percentile), what client 0 gains by the margin that suits it best while the others are honest (median and "
        f"largest over fleets), and the smallest surplus of any client in any round. {'; '.join(parts)}."
    )
