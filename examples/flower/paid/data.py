"""Labelled images, split over clients with different shares of the labels. No torch here: queries stay fast."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TEST = 360  # digits kept for the server's test


class Images(NamedTuple):
    """Images (n, channels, height, width) in 0..1 and their labels, for training and for testing."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    test_x: NDArray[np.float32]
    test_y: NDArray[np.int64]


@lru_cache(maxsize=1)
def images(source: str) -> Images:
    """`digits` ships with scikit-learn; anything else is a folder with data_batch_1.bin .. 5 and test_batch.bin."""
    if source == "digits":
        from sklearn.datasets import load_digits

        digits = load_digits()
        order = np.random.default_rng(0).permutation(len(digits.target))
        x = (digits.images[order, None] / 16).astype(np.float32)
        y = digits.target[order].astype(np.int64)
        return Images(x[TEST:], y[TEST:], x[:TEST], y[:TEST])
    folder = Path(source).expanduser()
    batches = [_cifar(folder / f"data_batch_{i}.bin") for i in range(1, 6)]
    test_x, test_y = _cifar(folder / "test_batch.bin")
    return Images(np.concatenate([x for x, _ in batches]), np.concatenate([y for _, y in batches]), test_x, test_y)


@lru_cache(maxsize=4)
def split(source: str, clients: int, concentration: float) -> list[NDArray[np.int64]]:
    """Rows of each client: the label shares of every client follow a Dirichlet distribution."""
    labels = images(source).y
    rng = np.random.default_rng(0)
    parts: list[list[NDArray[np.int64]]] = [[] for _ in range(clients)]
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        cuts = (np.cumsum(rng.dirichlet(np.full(clients, concentration)))[:-1] * len(rows)).astype(int)
        for part, chunk in zip(parts, np.split(rows, cuts), strict=True):
            part.append(chunk)
    return [np.sort(np.concatenate(part)) for part in parts]


def iid(source: str, rows: NDArray[np.int64]) -> float:
    """1 - total variation distance between the client's label shares and everybody's."""
    labels = images(source).y
    kinds = int(labels.max()) + 1
    mine = np.bincount(labels[rows], minlength=kinds) / max(len(rows), 1)
    return float(1 - 0.5 * np.abs(mine - np.bincount(labels, minlength=kinds) / len(labels)).sum())


def _cifar(path: Path) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    rows = np.fromfile(path, np.uint8).reshape(-1, 1 + 3 * 32 * 32)
    return (rows[:, 1:].reshape(-1, 3, 32, 32) / 255).astype(np.float32), rows[:, 0].astype(np.int64)
