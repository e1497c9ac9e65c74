"""Figure 5: convergence of accuracy, all mechanisms, beside the oracle."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.style import ORACLE, label_y, legend, looks, sheet
from lefi.studies.run.results import Finished

FLOOR = 1e-4  # percentage points: less than this is drawn as this


@dataclass(frozen=True, eq=False)
class Numbers:
    """Accuracy (judged) and what is missing to the oracle, in percentage points, per mechanism and round."""

    accuracy: dict[str, Band]
    missing: dict[str, Band]
    oracle: float


def compute(study: Finished) -> Numbers:
    frame = study.rounds.with_columns(missing=100 * (pl.col("oracle") - pl.col("judged")))
    per_seed = study.final().group_by("seed").agg(pl.col("oracle").first())
    return Numbers(bands(frame, "judged"), bands(frame, "missing"), float(np.median(per_seed["oracle"])))


def draw(numbers: Numbers) -> Figure:
    figure, (left, right) = sheet(2, height=3.7)
    look = looks(numbers.accuracy)
    for name in numbers.accuracy:
        draw_band(left, numbers.accuracy[name], look[name], alpha=0)  # fleets differ more than mechanisms
        gap = numbers.missing[name]
        draw_band(right, Band(gap.by, *(np.maximum(v, FLOOR) for v in (gap.middle, gap.low, gap.high))), look[name])
    left.axhline(numbers.oracle, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    last = max(band.by[-1] for band in numbers.accuracy.values())
    left.set(xlabel="round", ylabel="accuracy", xlim=(1, last))
    left.set_title("accuracy")
    right.set_yscale("log")
    label_y(right)
    right.set(xlabel="round", ylabel="oracle - accuracy [percentage points]", xlim=(1, last))
    right.set_title("what is missing to the oracle")
    legend(figure, numbers.accuracy, oracle=True)
    return figure


def caption(numbers: Numbers) -> str:
    ends = ", ".join(f"{name} {band.middle[-1]:.4f}" for name, band in numbers.accuracy.items())
    gaps = ", ".join(f"{name} {band.middle[-1]:.4f}" for name, band in numbers.missing.items())
    last = next(iter(numbers.accuracy.values())).by[-1]
    return (
        f"Median accuracy in round {last:.0f}: {ends}; oracle {numbers.oracle:.4f}. On the "
        "right every fleet is held against its own oracle (percentage points "
        f"missing in the last round: {gaps}; below {FLOOR:g} is drawn as {FLOOR:g}). random and bara are shown by "
        "their best round so far."
    )
