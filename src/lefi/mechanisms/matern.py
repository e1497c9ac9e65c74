"""The process that `bara` believes in: a Matern 5/2 kernel with noise over points of any dimension.

Values may be one column, or several that share the kernel: then means and deviations have as many columns.

k(x, x') = constant (1 + r + r^2 / 3) exp(-r),  r = sqrt(5) |x - x'| / length;  noise on the diagonal; y standardised.
The formulas are those of scikit-learn's GaussianProcessRegressor, so the numbers are the same to rounding. A round of
`bara` asks for hundreds of predictions of few points, and there its checks cost more than the algebra.

Distances come from one product of matrices, |a|^2 + |b|^2 - 2 a b: with many clients that is ten times as fast as one
pair after the other.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from lefi.arrays import FloatArray
from lefi.compiler import NUMBA, compiler

JITTER = 1e-10  # added to the diagonal, so that two equal points still have a Cholesky factor
ROOT = 5**0.5
FAR = 490_000.0  # r^2 from which exp(-r) counts as exp(-700): nothing, and still a number


class Hyper(NamedTuple):
    """What is learned about the process."""

    constant: float = 1.0
    length: float = 1.0
    noise: float = 1e-3


LEAST, MOST = Hyper(1e-2, 0.05, 1e-8), Hyper(1e3, 50.0, 1.0)


class Process:
    """What is known at any point x after the values y at the points `x` of the constructor."""

    def __init__(self, x: FloatArray, y: FloatArray, hyper: Hyper) -> None:
        self.hyper = hyper = Hyper(*np.exp(np.log(hyper)))  # rounded as scikit-learn does, which keeps logarithms
        self.points = x * (ROOT / hyper.length)
        self.norms = _norms(self.points)
        self.mean, self.std = y.mean(axis=0), _spread(y)
        K = self._kernel(self.points, self.norms)
        K[np.diag_indices_from(K)] = hyper.constant + hyper.noise + JITTER
        factor = scipy.linalg.cholesky(K, lower=True, check_finite=False)
        self.inverse = scipy.linalg.lapack.dtrtri(factor, lower=1)[0]  # a product is faster than solving every time
        self.solved = scipy.linalg.cho_solve((factor, True), (y - self.mean) / self.std, check_finite=False)

    def _kernel(self, points: FloatArray, norms: FloatArray) -> FloatArray:
        """Covariance of the values at these points with those of the constructor."""
        products = points @ (-2.0 * self.points.T)
        if NUMBA:
            powers = np.empty(self.norms.size)
            scratch = np.empty_like(powers), powers, powers.view(np.int64)
            _fill(products, norms, self.norms, self.hyper.constant, *scratch)
            return products
        squared = products + norms[:, None] + self.norms
        return _covariance(np.maximum(squared, 0.0), self.hyper.constant)[0]

    def predict(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of a new value at each row of x."""
        points = x * (ROOT / self.hyper.length)
        K = self._kernel(points, _norms(points))
        V = K @ self.inverse.T
        variance = self.hyper.constant + self.hyper.noise - np.einsum("ij,ij->i", V, V)
        if self.solved.ndim == 2:
            variance = variance[:, None]
        return self.std * (K @ self.solved) + self.mean, np.sqrt(np.maximum(variance, 0.0) * self.std**2)


def learned(x: FloatArray, y: FloatArray, start: Hyper) -> Hyper:
    """The hyperparameters under which y is most likely, climbed to from `start`."""
    y = ((y - y.mean(axis=0)) / _spread(y)).reshape(len(y), -1)
    squared = 5 * scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(x, "sqeuclidean"))
    bounds = np.log(np.array([LEAST, MOST]).T)
    found = scipy.optimize.minimize(
        _surprise, np.log(start), args=(squared, y), method="L-BFGS-B", jac=True, bounds=bounds
    )
    return Hyper(*np.exp(found.x))


def _surprise(theta: FloatArray, squared: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Minus the log likelihood of y (columns), and its slope in the log of each hyperparameter.

    squared: (length r)^2 of every pair of points.
    """
    hyper = Hyper(*np.exp(theta))
    K, by_length = _covariance(squared / hyper.length**2, hyper.constant)
    noisy = K.copy()
    noisy[np.diag_indices_from(K)] += hyper.noise + JITTER
    try:
        L = scipy.linalg.cholesky(noisy, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return np.inf, np.zeros_like(theta)
    a = scipy.linalg.cho_solve((L, True), y, check_finite=False)
    columns = y.shape[1]
    likelihood = -0.5 * float((y * a).sum()) - columns * (np.log(np.diag(L)).sum() + len(y) / 2 * np.log(2 * np.pi))
    inner = a @ a.T - columns * scipy.linalg.cho_solve((L, True), np.eye(len(y)), check_finite=False)
    slope = (inner * K).sum(), (inner * by_length).sum(), hyper.noise * np.trace(inner)
    return -likelihood, -0.5 * np.array(slope)


def _covariance(squared: FloatArray, constant: float) -> tuple[FloatArray, FloatArray]:
    """Of values whose points are this far apart (r^2), but for noise; and its slope in the log of the length."""
    r = np.sqrt(squared)
    decay = constant * np.exp(-r)
    third = squared / 3
    return (1.0 + r + third) * decay, third * (r + 1) * decay


@compiler(_nrt=False, fastmath={"contract", "nsz"})
def _fill(products, norms, own, constant, r, powers, bits):  # type: ignore[no-untyped-def]
    """-2 a b, with |a|^2 and |b|^2 beside it, becomes `_covariance`, row by row.

    The compiler turns these loops into vectors: four times as fast as numpy.
    exp(-r) = 2^n exp(f): adding 1.5 * 2^52 rounds to n, which stays in the low bits. powers, bits: the same memory.
    """
    for i in range(products.shape[0]):
        row = products[i]
        for j in range(row.size):
            s = row[j] + norms[i] + own[j]
            s = s if s > 0.0 else 0.0  # where two points are the same, rounding may leave less
            s = s if s < FAR else FAR
            row[j], r[j] = s, math.sqrt(s)
            powers[j] = 6755399441055744.0 - 1.4426950408889634 * r[j]
        for j in range(row.size):
            n = powers[j] - 6755399441055744.0
            f = (-r[j] - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
            g = 1 / 40320 + f * (
                1 / 362880 + f * (1 / 3628800 + f * (1 / 39916800 + f * (1 / 479001600 + f * (1 / 6227020800))))
            )
            g = 1 / 24 + f * (1 / 120 + f * (1 / 720 + f * (1 / 5040 + f * g)))
            g = 1.0 + f * (1.0 + f * (0.5 + f * (1 / 6 + f * g)))
            row[j] = constant * (1.0 + r[j] + row[j] * (1 / 3)) * g
        for j in range(row.size):
            bits[j] = (bits[j] + 1023) << 52
        for j in range(row.size):
            row[j] *= powers[j]


def _norms(points: FloatArray) -> FloatArray:
    """Squared, of each point."""
    return np.asarray(np.einsum("ij,ij->i", points, points))


def _spread(y: FloatArray) -> FloatArray:
    """The standard deviation of each column; 1 where all its values are the same."""
    std = np.asarray(y.std(axis=0))
    return np.where(std > 0, std, 1.0)
