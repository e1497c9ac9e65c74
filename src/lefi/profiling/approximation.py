"""The paper's shortcut, tested: is the global accuracy w times the mean of A(D_n, pi_n) when clients differ?

m  (fleets,)  mean over the clients of the fitted A(D_n, pi_n)
a  (fleets,)  test accuracy of the model that the fleet really trained
w = sum m a / sum m^2, least squares through the origin.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.draws import key, uniform
from lefi.models import AccuracyModel
from lefi.profiling.grid import samples_of, stacked
from lefi.profiling.partition import Partitioner
from lefi.profiling.train import Trainer
from lefi.studies.statistics import Interval, bootstrap

FIRST_SEED = 1000  # fleets do not reuse the seeds of the grid that the model was fitted to


@dataclass(frozen=True)
class Approximation:
    """w with its interval, and the errors of w m and of m alone."""

    fleets: int
    clients: int
    w: Interval
    rmse: float
    rmse_plain: float
    correlation: float


def train_fleets(
    trainer: Trainer,
    model: AccuracyModel,
    *,
    fleets: int,
    clients: int,
    rounds: int,
    sizes: tuple[float, float],
    iid: tuple[float, float],
    progress: Callable[[int, int], None] | None = None,
) -> pl.DataFrame:
    """Fleets whose clients differ in size and iid, trained side by side; one row per client, accuracy of its fleet."""
    seeds = list(range(FIRST_SEED, FIRST_SEED + fleets))
    ids = np.arange(clients)
    D = np.stack([_between(sizes, uniform(key(seed, "size"), ids)) for seed in seeds])
    pi = np.stack([_between(iid, uniform(key(seed, "iid"), ids)) for seed in seeds])
    counts = np.array([[samples_of(size) for size in row] for row in D])
    labels = trainer.images.labels
    parts = [Partitioner(labels, seed).draw(n, x) for seed, n, x in zip(seeds, counts, pi, strict=True)]
    samples, weights = stacked(parts, trainer.device), trainer.initial(seeds)
    for number in range(1, rounds + 1):
        weights = trainer.round(weights, samples, counts, seeds, number)
        if progress is not None:
            progress(number, rounds)
    return pl.DataFrame(
        {
            "fleet": np.repeat(seeds, clients),
            "client": np.tile(ids, fleets),
            "size": (counts / 1000).ravel(),
            "iid": pi.ravel(),
            "modelled": model(counts / 1000, pi).ravel(),
            "accuracy": np.repeat(trainer.accuracy(weights), clients),
        }
    )


def judge_fleets(table: pl.DataFrame) -> Approximation:
    """Estimate w and how wrong the sum is."""
    each = table.group_by("fleet").agg(pl.col("modelled").mean(), pl.col("accuracy").first(), pl.len()).sort("fleet")
    m, a = each["modelled"].to_numpy(), each["accuracy"].to_numpy()
    w = float(m @ a / (m @ m))
    return Approximation(
        fleets=len(each),
        clients=int(each["len"][0]),
        w=_interval_of_w(np.stack([m, a], axis=1), w),
        rmse=float(np.sqrt(np.mean((w * m - a) ** 2))),
        rmse_plain=float(np.sqrt(np.mean((m - a) ** 2))),
        correlation=float(np.corrcoef(m, a)[0, 1]),
    )


def _interval_of_w(pairs: FloatArray, w: float) -> Interval:
    """Fleets are resampled: the ratio of two means, linearised around w."""
    m, a = pairs.T
    influence = w + m * (a - w * m) / np.mean(m**2)
    return bootstrap(influence, np.mean)


def _between(bounds: tuple[float, float], draws: FloatArray) -> FloatArray:
    return bounds[0] + (bounds[1] - bounds[0]) * draws
