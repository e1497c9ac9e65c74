"""A grid of sizes, iid and seeds, and the training of a group of its cells side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import polars as pl
import torch

from lefi.arrays import number, whole
from lefi.errors import InputError
from lefi.profiling.data import Images
from lefi.profiling.partition import Partition, Partitioner
from lefi.profiling.train import Recipe, Trainer

COLUMNS = {
    "size": pl.Float64,
    "iid": pl.Float64,
    "seed": pl.Int64,
    "round": pl.Int64,
    "accuracy": pl.Float64,
    "distance": pl.Float64,
    "repeats": pl.Int64,
}

Cell = tuple[float, float]  # size in thousand samples, iid


@dataclass(frozen=True)
class Grid:
    """What is measured: in each cell all clients have the same size and the same iid, as in the paper."""

    sizes: tuple[float, ...]
    iid: tuple[float, ...]
    seeds: int = 3
    clients: int = 5
    rounds: int = 30
    recipe: Recipe = field(default_factory=Recipe)
    overlap: bool = False  # clients draw from the whole data, whatever others hold

    def __post_init__(self) -> None:
        if not self.sizes or not self.iid:
            raise InputError("grid", f"{len(self.sizes)} sizes x {len(self.iid)} iid", "at least 1 x 1")
        for size in self.sizes:
            number("size", size, low=0.001)
        for iid in self.iid:
            number("iid", iid, low=0, high=1)
        for name in ("sizes", "iid"):
            if list(getattr(self, name)) != sorted(set(getattr(self, name))):
                raise InputError(name, getattr(self, name), "rising")
        for name in ("seeds", "clients", "rounds"):
            whole(name, getattr(self, name), low=1)

    @property
    def cells(self) -> list[Cell]:
        return list(product(self.sizes, self.iid))


def samples_of(size: float) -> int:
    """A size in thousand samples as a whole number of them."""
    return round(1000 * size)


def train_cells(
    trainer: Trainer, grid: Grid, cells: list[Cell], partitioners: list[Partitioner]
) -> Iterator[pl.DataFrame]:
    """Train every seed of these cells at once; after each round its rows, one per cell and seed."""
    places = [(cell, seed) for cell in cells for seed in range(grid.seeds)]
    parts = [partitioners[seed].draw(np.full(grid.clients, samples_of(size)), iid) for (size, iid), seed in places]
    seeds = [seed for _, seed in places]
    counts = np.stack([part.counts for part in parts])
    samples = stacked(parts, trainer.device)
    weights = trainer.initial(seeds)
    told = {
        "size": [size for (size, _), _ in places],
        "iid": [iid for (_, iid), _ in places],
        "seed": seeds,
        "distance": [float(part.distance.mean()) for part in parts],
        "repeats": [int(part.repeats.sum()) for part in parts],
    }
    for round in range(1, grid.rounds + 1):
        weights = trainer.round(weights, samples, counts, seeds, round)
        rows = told | {"round": [round] * len(places), "accuracy": trainer.accuracy(weights)}
        yield pl.DataFrame(rows, schema_overrides=COLUMNS).select(*COLUMNS)


def stacked(parts: list[Partition], device: torch.device) -> torch.Tensor:
    """The samples of several federations (R, K, S), padded to the longest."""
    width = max(part.samples.shape[1] for part in parts)
    result = np.zeros((len(parts), parts[0].clients, width), dtype=np.int32)
    for row, part in zip(result, parts, strict=True):
        row[:, : part.samples.shape[1]] = part.samples
    return torch.from_numpy(result).to(device)


def partitioners_of(images: Images, grid: Grid) -> list[Partitioner]:
    """One per seed."""
    return [Partitioner(images.labels, seed, groups=images.groups, overlap=grid.overlap) for seed in range(grid.seeds)]
