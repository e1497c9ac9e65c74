"""Posterior of some clients of a bank at their queries: between the arrays of a call and the rows of the engine."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, cast

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.surrogate import cuda, rbf, sweep
from lefi.surrogate.cuda import DeviceHistory
from lefi.surrogate.history import History
from lefi.surrogate.kernels import STATE_SPACE, Hyper, gram, rate, steepness
from lefi.surrogate.layout import BIG, DEAF, FINITE, LANES

if TYPE_CHECKING:
    from lefi.surrogate.bank import Bank

CHUNK = 1 << 15  # clients whose histories kernel rbf gathers at a time
PAIRS = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # where the sweep leaves the covariance of two queries


@dataclass(frozen=True, eq=False)
class Posterior:
    """Means F (queries, n), covariances C (6, n) as the sweep leaves them.

    And where the evidence was asked for, both (n,), of y less its prior mean and in units of the signal variance:
    quad = y' (K + noise I)^-1 y, logdet = log |K + noise I|.
    """

    F: FloatArray
    C: FloatArray
    quad: FloatArray
    logdet: FloatArray

    @property
    def mean(self) -> FloatArray:
        return self.F.T

    @property
    def variance(self) -> FloatArray:
        return self.C[: len(self.F)].T

    @property
    def covariance(self) -> FloatArray:
        """(n, queries, queries)"""
        q = len(self.F)
        return np.moveaxis(self.C[np.array(PAIRS)[:q, :q]], -1, 0)

    def put(self, where: BoolArray, other: "Posterior") -> None:
        """Replace that of some clients."""
        self.F[:, where], self.C[:, where] = other.F, other.C


def prior(kernel: str, hyper: Hyper, Q: FloatArray, slope: bool) -> Posterior:
    """Before the first observation; queries Q (queries, n)."""
    C = np.zeros((6, Q.shape[1]))
    for i, j in combinations_with_replacement(range(Q.shape[0]), 2):
        k = steepness if slope else gram
        C[PAIRS[i][j]] = hyper.signal * k(kernel, Q[i], Q[j], hyper.lengthscale)
    return Posterior(np.zeros(Q.shape), C, np.empty(0), np.empty(0))


def posterior(bank: "Bank", rows: IntArray, Q: FloatArray, *, slope: bool = False, weighing: bool = False) -> Posterior:
    """Takes pending observations in on the way; queries Q (at most three, n) as the process sees them."""
    if rows.size == 0:
        return Posterior(Q, np.empty((6, 0)), np.empty(0), np.empty(0))
    find = _finite_rank if bank.kernel == "rbf" else _state_space
    if find is _finite_rank and rows.size > CHUNK:
        parts = np.array_split(np.arange(rows.size), -(-rows.size // CHUNK))
        each = [posterior(bank, rows[i], Q[:, i], slope=slope, weighing=weighing) for i in parts]
        names = ("F", "C", "quad", "logdet")
        return Posterior(*(np.concatenate([getattr(part, name) for part in each], axis=-1) for name in names))
    if Q.shape[0] < 2 or (Q[1:] >= Q[:-1]).all():
        return find(bank, rows, Q, slope, weighing)
    order = np.argsort(Q, axis=0)
    found = find(bank, rows, np.take_along_axis(Q, order, axis=0), slope, weighing)
    back, q = np.argsort(order, axis=0), len(Q)
    C = found.C.copy()
    for i, j in combinations_with_replacement(range(q), 2):
        C[PAIRS[i][j]] = np.take_along_axis(found.C, np.array(PAIRS)[back[i], back[j]][None], axis=0)[0]
    return Posterior(np.take_along_axis(found.F, back, axis=0), C, found.quad, found.logdet)


def hypers(bank: "Bank", rows: IntArray | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lengthscale, signal and noise of these rows, or of all that there is room for."""
    table = np.array([(h.lengthscale, h.signal, h.noise) for h in bank.table])
    if bank.choice.size == 0:
        size = bank.history.count.size if rows is None else rows.size
        lengthscale, signal, noise = (np.full(size, value) for value in table[0])
        return lengthscale, signal, noise
    choice = np.zeros(bank.history.count.size, dtype=np.intp)
    choice[: bank.choice.size] = bank.choice
    lengthscale, signal, noise = table[choice if rows is None else choice[rows]].T
    return lengthscale, signal, noise


def _state_space(bank: "Bank", rows: IntArray, Q: FloatArray, slope: bool, weighing: bool) -> Posterior:
    h = bank.history
    size, whole = h.count.size, is_range(rows)
    n = rows.size
    blocks = np.arange(-(-n // LANES)) if whole else np.flatnonzero(np.bincount(rows // LANES, minlength=h.blocks))
    at: slice | IntArray = slice(0, n) if whole else rows
    queries = np.full((Q.shape[0], size), BIG)
    queries[:, at] = Q
    lengthscale, signal, noise = (np.ascontiguousarray(a) for a in hypers(bank))
    scale = rate(bank.kernel, lengthscale)
    kernel, slopes = STATE_SPACE[bank.kernel], np.full(3, float(slope))
    if bank.device == "cuda":
        F, C, G = cuda.run(kernel, cast(DeviceHistory, h), scale, noise, queries, slopes, weighing)
        blocks = np.arange(h.blocks)
    else:
        F, C, G = np.empty(queries.shape), np.zeros((6, size)), np.empty((2, size))
        data = (h.x, h.y, h.w, h.count, h.px, h.py)
        sweep.run(kernel, h.pending, *data, scale, noise, h.mean, queries, slopes, F, C, G, blocks)
    if h.pending:
        h.taken(blocks)
    F, C = F[:, at], C[:, at] * signal[at]
    if slope:
        steep = 1.0 if bank.kernel == "iwp" else scale[at]
        F, C = F * steep, C * steep**2
    else:
        F += h.mean[at]
    return Posterior(F, C, *((G[0, at], G[1, at] + silence(h, at, noise[at])) if weighing else (G, G)))


def silence(h: History, at: slice | IntArray, noise: FloatArray) -> FloatArray:
    """log |noise I|, where an observation that stands for w has noise / w."""
    heard = np.log(h.w).sum(axis=1).reshape(-1)[at] if h.w.size > LANES else 0.0
    return h.count[at] * np.log(noise) - heard


def _finite_rank(bank: "Bank", rows: IntArray, Q: FloatArray, slope: bool, _weighing: bool) -> Posterior:
    h = bank.history
    h.append()
    lengthscale, signal, noise = hypers(bank, rows)
    x, y, w = h.columns(rows, int(h.count[rows].max(initial=0)))
    r = np.where(x < FINITE, noise[:, None] / w, DEAF)
    centred = np.where(x < FINITE, y - h.mean[rows, None], 0.0)
    found = rbf.posterior(x / lengthscale[:, None], centred, r, Q.T / lengthscale[:, None], slope)
    C = np.zeros((6, rows.size))
    for i, j in combinations_with_replacement(range(Q.shape[0]), 2):
        C[PAIRS[i][j]] = found.covariance[:, i, j] * signal / (lengthscale**2 if slope else 1.0)
    F = found.mean.T / lengthscale if slope else found.mean.T + h.mean[rows]
    return Posterior(F, C, found.quad, found.logdet + silence(h, rows, noise))


def is_range(rows: IntArray) -> bool:
    """Whether these are rows 0, 1, 2, .. in this order."""
    return bool(rows[0] == 0 and rows[-1] == rows.size - 1 and (np.diff(rows) == 1).all())
