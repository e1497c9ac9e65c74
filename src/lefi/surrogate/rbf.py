"""The RBF kernel by a finite rank that is exact to rounding.

On [-1, 1] the kernel exp(-(z - z')^2 / 2 l^2) is a sum over Chebyshev polynomials, sum_ij S_ij T_i(z) T_j(z'), whose
coefficients fall faster than any power. With S = B' B and features phi(z) = B T(z), k = phi . phi', so a client's
process is p weights under a unit normal prior, and its cost does not grow with the cube of its observations:
A = I + sum phi phi' / noise,  weights | y ~ N(A^-1 sum phi y / noise, A^-1).
Every client gets the interval that covers its own inputs and queries, rounded up to one of WIDTHS lengthscales: so no
input is outside, and nothing is kept that a change of hyper-parameters would spoil. A client whose inputs are further
apart than that is solved by the dense formula.

x, y, r  (n, t)  inputs, centred observations, noise (DEAF where there is none)    q  (n, queries)
All in units of the lengthscale and of the signal variance.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebvander

from lefi.arrays import FloatArray
from lefi.surrogate.layout import DEAF

WIDTHS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)  # half intervals, in lengthscales
NEGLIGIBLE = 1e-16
CHUNK = 2048


@dataclass(frozen=True, eq=False)
class Posterior:
    """Mean (n, queries), covariance (n, queries, queries); for the evidence a quadratic form and a log det, (n,)."""

    mean: FloatArray
    covariance: FloatArray
    quad: FloatArray
    logdet: FloatArray


@cache
def basis(width: float) -> FloatArray:
    """B (p, m) for an interval of half that many lengthscales."""
    nodes = int(18 + 6 * width)  # enough for the last coefficient to vanish, few enough for rounding not to show
    z = np.cos((np.arange(nodes) + 0.5) * np.pi / nodes)
    K = np.exp(-0.5 * ((z[:, None] - z) * width) ** 2)
    transform = 2 / nodes * chebvander(z, nodes - 1).T
    transform[0] *= 0.5
    values, vectors = np.linalg.eigh(transform @ K @ transform.T)
    keep = values > NEGLIGIBLE
    return np.ascontiguousarray((np.sqrt(values[keep]) * vectors[:, keep]).T)


def posterior(x: FloatArray, y: FloatArray, r: FloatArray, q: FloatArray, slope: bool = False) -> Posterior:
    """The processes of n clients at their queries; clients are taken in groups of one width, then in chunks."""
    n, queries = q.shape
    result = Posterior(np.empty((n, queries)), np.empty((n, queries, queries)), np.empty(n), np.empty(n))
    used = r < DEAF
    both, there = np.concatenate([x, q], axis=1), np.concatenate([used, np.ones(q.shape, bool)], axis=1)
    low, high = np.where(there, both, np.inf).min(axis=1), np.where(there, both, -np.inf).max(axis=1)
    low, high = np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)  # no input, no query
    centre, half = (low + high) / 2, (high - low) / 2
    kind = np.searchsorted(WIDTHS, half)
    for k in np.unique(kind):
        group = np.flatnonzero(kind == k)
        for first in range(0, group.size, CHUNK):
            i = group[first : first + CHUNK]
            data = (np.where(used[i], x[i] - centre[i, None], 0.0), y[i], r[i], q[i] - centre[i, None])
            found = _weights(WIDTHS[k], slope, *data) if k < len(WIDTHS) else _dense(slope, *data)
            result.mean[i], result.covariance[i], result.quad[i], result.logdet[i] = found
    return result


def _weights(
    width: float, slope: bool, x: FloatArray, y: FloatArray, r: FloatArray, q: FloatArray
) -> tuple[FloatArray, ...]:
    """A = L L'; with V = L^-1 phi(q): covariance V'V, mean V' L^-1 b, b = sum phi y / noise."""
    B = basis(width)
    phi = chebvander(x / width, B.shape[1] - 1) @ B.T
    at = chebvander(q / width, B.shape[1] - 1)
    at = at[..., :-1] @ chebder(B.T) / width if slope else at @ B.T
    scaled = phi / r[..., None]
    A = np.eye(B.shape[0]) + np.swapaxes(scaled, 1, 2) @ phi
    L = np.linalg.cholesky(A)
    b = np.einsum("ntp,nt->np", scaled, y)
    solved = np.linalg.solve(L, np.concatenate([np.swapaxes(at, 1, 2), b[..., None]], axis=2))
    V, c = solved[..., :-1], solved[..., -1]
    quad = (y * y / r).sum(axis=1) - (c * c).sum(axis=1)
    logdet = 2 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
    return np.einsum("npq,np->nq", V, c), np.swapaxes(V, 1, 2) @ V, quad, logdet


def _dense(slope: bool, x: FloatArray, y: FloatArray, r: FloatArray, q: FloatArray) -> tuple[FloatArray, ...]:
    """By the definition, O(t^3): K + noise = L L', V = L^-1 k(x, q)."""
    used = r < DEAF
    K = np.exp(-0.5 * (x[:, :, None] - x[:, None, :]) ** 2) * (used[:, :, None] & used[:, None, :])
    diagonal = np.arange(x.shape[1])
    K[:, diagonal, diagonal] = np.where(used, 1 + r, 1.0)
    gap = q[:, None, :] - x[:, :, None]
    k = np.exp(-0.5 * gap**2) * used[:, :, None]
    apart = q[:, :, None] - q[:, None, :]
    prior = np.exp(-0.5 * apart**2) * (1 - apart**2 if slope else 1.0)
    L = np.linalg.cholesky(K)
    solved = np.linalg.solve(L, np.concatenate([-gap * k if slope else k, y[..., None]], axis=2))
    V, c = solved[..., :-1], solved[..., -1]
    logdet = 2 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1) - np.log(np.where(used, r, 1.0)).sum(axis=1)
    return np.einsum("npq,np->nq", V, c), prior - np.swapaxes(V, 1, 2) @ V, (c * c).sum(axis=1), logdet
