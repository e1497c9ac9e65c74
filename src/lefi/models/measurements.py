"""Tables of real training: those that ship with lefi, and what a grid of cells comes to. Made by `lefi.profiling`."""

import polars as pl

from lefi.arrays import FloatArray
from lefi.models.presets import SHIPPED


def shipped_table(preset: str, name: str) -> pl.DataFrame:
    """A table of a measurement that comes with lefi: accuracy, cost, loop or fleets."""
    return pl.read_parquet(SHIPPED / preset / f"{name}.parquet")


def final_means(table: pl.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Size, iid, accuracy after the last round as mean over seeds, and its standard deviation between seeds."""
    last = table.filter(pl.col("round") == pl.col("round").max())
    means = last.group_by("size", "iid").agg(pl.col("accuracy").mean(), spread=pl.col("accuracy").std())
    means = means.sort("size", "iid").with_columns(pl.col("spread").fill_null(0.0))
    D, pi, A, spread = (means[name].to_numpy() for name in ("size", "iid", "accuracy", "spread"))
    return D, pi, A, spread
