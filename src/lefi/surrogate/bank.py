"""One Gaussian process per client, all side by side.

n clients, t slots for observations; a client uses the first count of its slots, the rest are empty.
x  (n, t)     inputs                       y  (n, t)     observed values
W  (n, t, t)  inverse of the lower Cholesky factor of K = k(x, x) + noise I, zero in empty slots
One factorisation serves every client: a new observation appends one row to W, in O(t^2).
The prior mean of a client is the mean of its own observations; variances are in units of the signal variance,
which is common to the fleet, like lengthscale and noise, and learned with them (see evidence.py).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.errors import InputError, UnknownName
from lefi.surrogate.kernels import KERNELS


@dataclass(frozen=True)
class Hyper:
    """What the processes of a fleet share: lengthscale of the input, signal variance, noise as a share of it."""

    lengthscale: float = 1.0
    signal: float = 1.0
    noise: float = 1e-4


class Bank:
    """Gaussian processes of clients that come, go and miss rounds."""

    def __init__(self, kernel: str = "rbf", hyper: Hyper | None = None) -> None:
        if kernel not in KERNELS:
            raise UnknownName("kernel", kernel, KERNELS)
        self.kernel = kernel
        self.hyper = hyper or Hyper()
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.count: IntArray = np.empty(0, dtype=np.int64)
        self.x: FloatArray = np.empty((0, 4))
        self.y: FloatArray = np.empty((0, 4))
        self.W: FloatArray = np.empty((0, 4, 4))

    def observe(self, ids: IntArray, x: FloatArray, y: FloatArray) -> None:
        """Add one observation per client; where y is NaN there is nothing to learn."""
        if not np.isfinite(x).all() or np.isinf(y).any():
            raise InputError("observations", (x, y), "finite, or NaN in y for none")
        self._admit(ids)
        seen = ~np.isnan(y)
        rows = self._rows(ids)[seen]
        if rows.size:
            self._append(rows, x[seen], y[seen])

    def predict(self, ids: IntArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of each client's process at x, which is (n,) or (n, queries)."""
        rows, known = self._find(ids)
        queries = x if x.ndim == 2 else x[:, None]
        mean = np.zeros(queries.shape)
        variance = np.ones(queries.shape)
        if rows.size:
            mean[known], variance[known] = self._posterior(rows, queries[known])
        std = np.sqrt(self.hyper.signal * variance)
        return mean.reshape(x.shape), std.reshape(x.shape)

    def refit(self, hyper: Hyper) -> None:
        """Take other hyper-parameters: factorise anew."""
        self.hyper = hyper
        self.W = factor(self.kernel, hyper, self.x, self.used)

    @property
    def used(self) -> BoolArray:
        """Which slots hold an observation, (n, t)."""
        return np.arange(self.x.shape[1]) < self.count[:, None]

    @property
    def means(self) -> FloatArray:
        """The prior mean of each client."""
        return (self.y * self.used).sum(axis=1) / np.maximum(self.count, 1)

    def copy(self) -> Self:
        twin = type(self)(self.kernel, self.hyper)
        for name in ("ids", "count", "x", "y", "W"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def _posterior(self, rows: IntArray, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        slots = int(self.count[rows].max(initial=0))
        x, y, W = self.x[rows, :slots], self.y[rows, :slots], self.W[rows, :slots, :slots]
        used, m = self.used[rows, :slots], self.means[rows]
        v = np.einsum("nij,njq->niq", W, self._k(x[:, :, None], queries[:, None, :]) * used[:, :, None])
        r = np.einsum("nij,nj->ni", W, np.where(used, y - m[:, None], 0.0))
        mean = m[:, None] + np.einsum("niq,ni->nq", v, r)
        return mean, np.maximum(1 - np.einsum("niq,niq->nq", v, v), 0.0)

    def _append(self, rows: IntArray, x: FloatArray, y: FloatArray) -> None:
        """New last row of L is (W k, d) with d^2 = k(x, x) + noise - |W k|^2; the row of W follows."""
        self._reserve(int(self.count[rows].max()) + 1)
        slot = self.count[rows]
        k = self._k(self.x[rows], x[:, None]) * self.used[rows]
        W = self.W[rows]
        row = np.einsum("nij,nj->ni", W, k)
        d = np.sqrt(np.maximum(1 + self.hyper.noise - np.einsum("ni,ni->n", row, row), self.hyper.noise))
        self.W[rows, slot] = -np.einsum("ni,nij->nj", row, W) / d[:, None]
        self.W[rows, slot, slot] = 1 / d
        self.x[rows, slot] = x
        self.y[rows, slot] = y
        self.count[rows] += 1

    def _k(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return KERNELS[self.kernel](np.abs(a - b) / self.hyper.lengthscale)

    def _find(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Rows of the ids that are here, and which of the ids these are."""
        if self.ids.size == 0:
            return np.empty(0, dtype=np.int64), np.zeros(ids.size, dtype=bool)
        rows = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        known = self.ids[rows] == ids
        return rows[known], known

    def _rows(self, ids: IntArray) -> IntArray:
        return np.searchsorted(self.ids, ids)

    def _admit(self, ids: IntArray) -> None:
        """Give newcomers a row; rows stay sorted by id."""
        new = np.setdiff1d(ids, self.ids)
        if new.size == 0:
            return
        at = np.searchsorted(self.ids, new)
        self.ids = np.insert(self.ids, at, new)
        self.count = np.insert(self.count, at, 0)
        self.x, self.y, self.W = (np.insert(a, at, 0.0, axis=0) for a in (self.x, self.y, self.W))

    def _reserve(self, slots: int) -> None:
        """Room for that many observations per client; grows by half."""
        have = self.x.shape[1]
        if slots > have:
            more = max(slots, have + have // 2) - have
            self.x, self.y = (np.pad(a, ((0, 0), (0, more))) for a in (self.x, self.y))
            self.W = np.pad(self.W, ((0, 0), (0, more), (0, more)))


def factor(kernel: str, hyper: Hyper, x: FloatArray, used: BoolArray) -> FloatArray:
    """W of every client at once; an empty slot is an independent unit observation, then blanked."""
    k = KERNELS[kernel](np.abs(x[:, :, None] - x[:, None, :]) / hyper.lengthscale)
    both = used[:, :, None] & used[:, None, :]
    K = np.where(both, k, 0.0)
    K[:, np.arange(x.shape[1]), np.arange(x.shape[1])] = np.where(used, 1 + hyper.noise, 1.0)
    return np.where(both, np.linalg.inv(np.linalg.cholesky(K)), 0.0)
