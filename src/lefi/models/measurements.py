"""Tables of real training: those that ship with lefi, and what a grid of cells comes to. Made by `lefi.profiling`."""

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.models.learning import Learning
from lefi.models.presets import SHIPPED


def shipped_table(preset: str, name: str) -> pl.DataFrame:
    """A table of a measurement that comes with lefi: accuracy, long, unseen, cost, loop or fleets."""
    return pl.read_parquet(SHIPPED / preset / f"{name}.parquet")


def final_means(table: pl.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Size, iid, accuracy after the last round as mean over seeds, and its standard deviation between seeds."""
    last = table.filter(pl.col("round") == pl.col("round").max())
    means = last.group_by("size", "iid").agg(pl.col("accuracy").mean(), spread=pl.col("accuracy").std())
    means = means.sort("size", "iid").with_columns(pl.col("spread").fill_null(0.0))
    D, pi, A, spread = (means[name].to_numpy() for name in ("size", "iid", "accuracy", "spread"))
    return D, pi, A, spread


def mean_error(learning: Learning, table: pl.DataFrame) -> float:
    """Mean absolute error of accuracy by round on really trained cells, over all their rounds.

    Of the mean over seeds: what luck with one seed does is not the fit's.
    """
    means = table.group_by("size", "iid", "round").agg(pl.col("accuracy").mean())
    size, iid, round, accuracy = (means[name].to_numpy() for name in ("size", "iid", "round", "accuracy"))
    return float(np.abs(learning.after(size, iid, round) - accuracy).mean())


def fleet_errors(learning: Learning, table: pl.DataFrame, rounds: float = 30.0) -> tuple[float, float]:
    """RMSE on really trained fleets of clients that differ: pooled, and by the mean of A over clients."""
    gaps = []
    for _, fleet in table.group_by("clients", "fleet", maintain_order=True):
        sizes, iid, reached = fleet["size"].to_numpy(), fleet["iid"].to_numpy(), fleet["accuracy"][0]
        guesses = (learning.joint(sizes, iid, rounds), learning.after(sizes, iid, rounds).mean())
        gaps.append([float(guess) - reached for guess in guesses])
    pooled, mean = np.sqrt(np.mean(np.square(gaps), axis=0)).tolist()
    return pooled, mean
