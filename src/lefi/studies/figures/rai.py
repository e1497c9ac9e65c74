"""Figure 6: relative accuracy improvement (RAI) against the number of clients.

RAI = (judged accuracy - arbitrary) / (lefi's judged accuracy - arbitrary), seed by seed, in the last round.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.style import KNOWN, ORACLE, legend, looks, sheet, ticks_at
from lefi.studies.judge.marks import LEAST_GAIN
from lefi.studies.run.results import Finished

REFERENCE = "lefi"


@dataclass(frozen=True, eq=False)
class Numbers:
    """RAI per mechanism over the number of clients; the oracle's beside them."""

    rai: dict[str, Band]
    oracle: Band


def ratios(study: Finished) -> pl.DataFrame:
    """The last round's rows with columns `rai` and `rai_oracle`; NaN where lefi gained too little."""
    final = study.final()
    keys = ["seed", "clients"]
    reference = final.filter(pl.col("mechanism") == REFERENCE).select(
        *keys, base=pl.col("judged") - pl.col("arbitrary")
    )
    base = pl.when(pl.col("base") >= LEAST_GAIN).then("base").otherwise(np.nan)
    return final.join(reference, on=keys).with_columns(
        rai=(pl.col("judged") - pl.col("arbitrary")) / base,
        rai_oracle=(pl.col("oracle") - pl.col("arbitrary")) / base,
    )


def compute(study: Finished) -> Numbers:
    rows = ratios(study)
    oracle = bands(rows.filter(pl.col("mechanism") == REFERENCE), "rai_oracle", "clients")[REFERENCE]
    return Numbers(bands(rows, "rai", "clients"), oracle)


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(width=6.6, height=3.9)
    look = looks(numbers.rai)
    for name, band in numbers.rai.items():
        if name != REFERENCE:
            draw_band(axes, band, look[name], markers=True)
    axes.axhline(1, color=KNOWN[REFERENCE].colour)
    axes.plot(numbers.oracle.by, numbers.oracle.middle, color=ORACLE.colour, linestyle=ORACLE.line)
    axes.set_xscale("log")
    ticks_at(axes, numbers.oracle.by)
    axes.set(xlabel="number of clients (budget 0.5 USD each)", ylabel="RAI: gain over arbitrary weights (lefi = 1)")
    legend(figure, numbers.rai, oracle=True, markers=True)
    return figure


def caption(numbers: Numbers) -> str:
    sizes = numbers.oracle.by
    parts = [
        f"{name} {band.middle[0]:.2f} at {sizes[0]:,.0f} and {band.middle[-1]:.2f} at {band.by[-1]:,.0f} clients"
        for name, band in numbers.rai.items()
        if name != REFERENCE
    ]
    return (
        "Gain over arbitrary weights as a share of lefi's in the last round (random and bara by their best round): "
        f"{'; '.join(parts)}. The oracle stands at {numbers.oracle.middle[0]:.2f} and {numbers.oracle.middle[-1]:.2f}: "
        "that is all there is to gain."
    )
