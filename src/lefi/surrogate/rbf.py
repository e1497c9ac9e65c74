"""The RBF kernel by a finite rank that is exact to rounding.

On [-1, 1] the kernel exp(-(z - z')^2 / 2 l^2) is a sum over Chebyshev polynomials, sum_ij S_ij T_i(z) T_j(z'), whose
coefficients fall faster than any power. With S = B' B and features phi(z) = B T(z), k = phi . phi', so a client's process
is p weights under a unit normal prior, and its cost does not grow with the cube of its observations:
A = I + sum phi phi' / noise,  weights | y ~ N(A^-1 sum phi y / noise, A^-1).
Every client gets the interval that covers its own inputs and queries, rounded up to one of WIDTHS lengthscales: so no
input is outside, and nothing is kept that a change of hyper-parameters would spoil.

x, y, r  (n, t)  inputs, centred observations, noise (DEAF where there is none)    q  (n, queries)
All in units of the lengthscale and of the signal variance.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from lefi.arrays import FloatArray

WIDTHS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)  # half intervals, in lengthscales
NODES = 256
NEGLIGIBLE = 1e-17
CHUNK = 2048


@dataclass(frozen=True, eq=False)
class Posterior:
    """Mean (n, queries), covariance (n, queries, queries), and what the evidence needs, (n,): quadratic form, log det."""

    mean: FloatArray
    covariance: FloatArray
    quad: FloatArray
    logdet: FloatArray


@cache
def basis(width: float) -> FloatArray:
    """B (p, m) for an interval of half that many lengthscales."""
    z = np.cos((np.arange(NODES) + 0.5) * np.pi / NODES)
    K = np.exp(-0.5 * ((z[:, None] - z) * width) ** 2)
    transform = 2 / NODES * chebvander(z, NODES - 1).T
    transform[0] *= 0.5
    S = transform @ K @ transform.T
    m = int(np.flatnonzero(np.abs(S).max(axis=1) > NEGLIGIBLE)[-1]) + 1
    values, vectors = np.linalg.eigh((S[:m, :m] + S[:m, :m].T) / 2)
    keep = values > NEGLIGIBLE
    return np.ascontiguousarray((np.sqrt(values[keep]) * vectors[:, keep]).T)
