"""Who holds which samples: label shares from a Dirichlet, exact sizes, clients independent of each other.

pi  (n,)     iid, 0..1                       c = pi / (1 - pi)  Dirichlet parameter of each label
G   (n, C)   Gamma(c) draws, one per label   share = G / sum G ~ Dirichlet(c)
For small c a Gamma(c) draw underflows, so it is kept as log G with G = Gamma(c + 1) U^(1/c). Both draws are quantiles
of uniforms that depend on (seed, client) alone: the same client is compared at every size and every iid, its smaller
sets lie within its larger ones, and pi = 0 (one label) and pi = 1 (equal shares) are the limits and not exceptions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from lefi.arrays import FloatArray, Floats, IntArray, vector
from lefi.draws import generator, key, uniform
from lefi.errors import InputError


@dataclass(frozen=True, eq=False)
class Partition:
    """Samples of each client: row n of `samples` holds counts[n] indices into the training set, then zeros."""

    samples: NDArray[np.int32]
    counts: IntArray
    shares: FloatArray
    distance: FloatArray
    repeats: IntArray

    @property
    def clients(self) -> int:
        return self.counts.size


def label_shares(iid: Floats, classes: int, seed: int, ids: IntArray) -> FloatArray:
    """Shares of each label (n, classes) in a client's data; ids address the clients."""
    pi = vector("iid", iid, clients=ids.size, low=0, high=1)[:, None]
    draws = uniform(key(seed, "label shares"), ids, 2 * classes).T
    body, tail = draws[:, :classes], np.log(draws[:, classes:])
    tail -= tail.max(axis=1, keepdims=True)
    inner = np.clip(pi, 1e-300, 1 - 2**-53)  # the limits 0 and 1 are put in below
    c = inner / (1 - inner)
    with np.errstate(over="ignore"):
        log_gamma = np.log(gammaincinv(c + 1, body)) + tail / c
    shares = np.exp(log_gamma - log_gamma.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.where(pi == 1, 1 / classes, np.where(pi == 0, tail == 0, shares))


def whole_counts(shares: FloatArray, counts: IntArray) -> IntArray:
    """Samples per label (n, classes) that add up to each client's count exactly (largest remainders)."""
    exact = shares * counts[:, None]
    lower = np.floor(exact).astype(np.int64)
    left = counts - lower.sum(axis=1)
    rank = np.argsort(np.argsort(-(exact - lower), axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(lower + (rank < left[:, None]))


class Partitioner:
    """Draws partitions of one training set; remembers each client's order of every label for the next size."""

    def __init__(self, labels: IntArray, seed: int) -> None:
        self.seed = seed
        self.classes = int(labels.max()) + 1
        self.overall = np.bincount(labels, minlength=self.classes) / labels.size
        self._pools = [np.flatnonzero(labels == label).astype(np.int32) for label in range(self.classes)]
        self._orders: dict[int, list[NDArray[np.int32]]] = {}

    def draw(self, counts: IntArray, iid: Floats, ids: IntArray | None = None) -> Partition:
        """That many samples for each client, at its own iid."""
        counts = np.asarray(counts, dtype=np.int64)
        if counts.ndim != 1 or counts.size == 0 or counts.min() < 0:
            raise InputError("counts", counts, "samples per client, >= 0")
        ids = np.arange(counts.size) if ids is None else ids
        per_label = whole_counts(label_shares(iid, self.classes, self.seed, ids), counts)
        samples = np.zeros((counts.size, max(1, int(counts.max()))), dtype=np.int32)
        for row, client in enumerate(ids.tolist()):
            samples[row, : counts[row]] = self._samples(client, per_label[row])
        shares = per_label / np.maximum(counts, 1)[:, None]
        distance = np.where(counts > 0, np.abs(shares - self.overall).sum(axis=1) / 2, 0.0)
        pool = np.array([part.size for part in self._pools])
        repeats = np.maximum(per_label - pool, 0).sum(axis=1)
        return Partition(samples, counts, shares, distance, repeats)

    def _samples(self, client: int, per_label: IntArray) -> NDArray[np.int32]:
        """The first of the client's own order of every label; a label that runs out starts again. Then shuffled."""
        if client not in self._orders:
            rng = generator(self.seed, "samples", client)
            self._orders[client] = [rng.permutation(pool) for pool in self._pools]
        orders = self._orders[client]
        chosen = np.concatenate([np.resize(order, count) for order, count in zip(orders, per_label, strict=True)])
        return generator(self.seed, "order", client).permutation(chosen)
