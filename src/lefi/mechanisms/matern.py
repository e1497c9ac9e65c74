"""The process that `bara` believes in: a Matern 5/2 kernel with noise over points of any dimension.

Values may be one column, or several that share the kernel: then means and deviations have as many columns.

k(x, x') = constant (1 + r + r^2 / 3) exp(-r),  r = sqrt(5) |x - x'| / length;  noise on the diagonal; y standardised.
The formulas are those of scikit-learn's GaussianProcessRegressor, in the same order, so the numbers are the same. A
round of `bara` asks for hundreds of predictions of few points, and there its checks cost more than the algebra.
"""

from typing import NamedTuple

import numpy as np
import scipy

from lefi.arrays import FloatArray

JITTER = 1e-10  # added to the diagonal, so that two equal points still have a Cholesky factor
ROOT = 5**0.5


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
        self.points = x / hyper.length
        self.mean, self.std = y.mean(axis=0), _spread(y)
        self.factor = scipy.linalg.cholesky(_covariance(x, hyper)[0], lower=True, check_finite=False)
        self.solved = scipy.linalg.cho_solve((self.factor, True), (y - self.mean) / self.std, check_finite=False)

    def predict(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of a new value at each row of x."""
        K = self.hyper.constant * _matern(scipy.spatial.distance.cdist(x / self.hyper.length, self.points))
        V = scipy.linalg.solve_triangular(self.factor, K.T, lower=True, check_finite=False)
        variance = self.hyper.constant + self.hyper.noise - np.einsum("ij,ji->i", V.T, V)
        if self.solved.ndim == 2:
            variance = variance[:, None]
        return self.std * (K @ self.solved) + self.mean, np.sqrt(np.maximum(variance, 0.0) * self.std**2)


def learned(x: FloatArray, y: FloatArray, start: Hyper) -> Hyper:
    """The hyperparameters under which y is most likely, climbed to from `start`."""
    y = ((y - y.mean(axis=0)) / _spread(y)).reshape(len(y), -1)
    bounds = np.log(np.array([LEAST, MOST]).T)
    found = scipy.optimize.minimize(_surprise, np.log(start), args=(x, y), method="L-BFGS-B", jac=True, bounds=bounds)
    return Hyper(*np.exp(found.x))


def _surprise(theta: FloatArray, x: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Minus the log likelihood of y (columns), and its slope in the log of each hyperparameter."""
    hyper = Hyper(*np.exp(theta))
    K, distances = _covariance(x, hyper)
    try:
        L = scipy.linalg.cholesky(K, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return np.inf, np.zeros_like(theta)
    a = scipy.linalg.cho_solve((L, True), y, check_finite=False)
    likelihood = -0.5 * np.einsum("ik,ik->k", y, a) - np.log(np.diag(L)).sum() - len(y) / 2 * np.log(2 * np.pi)
    inverse = scipy.linalg.cho_solve((L, True), np.eye(len(y)), check_finite=False)
    inner = np.einsum("ik,jk->ijk", a, a) - inverse[..., None]
    slope = 0.5 * np.einsum("ijl,jik->kl", inner, _slopes(distances, hyper))
    return -likelihood.sum(), -slope.sum(axis=-1)


def _covariance(x: FloatArray, hyper: Hyper) -> tuple[FloatArray, FloatArray]:
    """Of the values at the points; and the distances of the points, in lengths."""
    distances = scipy.spatial.distance.pdist(x / hyper.length)
    K = hyper.constant * _square(_matern(distances), 1.0) + hyper.noise * np.eye(len(x))
    K[np.diag_indices_from(K)] += JITTER
    return K, distances


def _slopes(distances: FloatArray, hyper: Hyper) -> FloatArray:
    """(n, n, 3): the slope of the covariance in the log of each hyperparameter."""
    squared = scipy.spatial.distance.squareform(distances**2)
    r = np.sqrt(5 * squared)
    by_constant = hyper.constant * _square(_matern(distances), 1.0)
    by_length = 5.0 / 3.0 * squared * (r + 1) * np.exp(-r) * hyper.constant
    return np.dstack((by_constant, by_length, hyper.noise * np.eye(len(squared))))


def _square(pairs: FloatArray, diagonal: float) -> FloatArray:
    matrix: FloatArray = scipy.spatial.distance.squareform(pairs)
    np.fill_diagonal(matrix, diagonal)
    return matrix


def _matern(distance: FloatArray) -> FloatArray:
    r = distance * ROOT
    return np.asarray((1.0 + r + r**2 / 3.0) * np.exp(-r))


def _spread(y: FloatArray) -> FloatArray:
    """The standard deviation of each column; 1 where all its values are the same."""
    std = np.asarray(y.std(axis=0))
    return np.where(std > 0, std, 1.0)
