"""Fleets whose clients differ in size and iid, really trained: the test of the paper's sum (`studies.measured`)."""

from collections.abc import Callable

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.draws import key, uniform
from lefi.models import AccuracyModel
from lefi.profiling.grid import samples_of, stacked
from lefi.profiling.partition import Partitioner
from lefi.profiling.train import Trainer

FIRST_SEED = 1000  # fleets do not reuse the seeds of the grid that the model was fitted to


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
    labels, groups = trainer.images.labels, trainer.images.groups
    dealers = [Partitioner(labels, seed, groups=groups) for seed in seeds]
    parts = [dealer.draw(n, x) for dealer, n, x in zip(dealers, counts, pi, strict=True)]
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


def _between(bounds: tuple[float, float], draws: FloatArray) -> FloatArray:
    return bounds[0] + (bounds[1] - bounds[0]) * draws
