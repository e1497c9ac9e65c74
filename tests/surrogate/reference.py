"""Gaussian-process regression by its definition: dense, in many digits (mpmath) or in extended precision (numpy).

Slow and obvious, so that the bank has something to be judged by.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

from lefi.arrays import FloatArray
from lefi.surrogate import Hyper

DIGITS = 60


@dataclass(frozen=True)
class Answer:
    """Posterior of one client at its queries, prior standard deviations there, log evidence."""

    mean: FloatArray
    covariance: FloatArray
    prior: FloatArray
    evidence: float


Number = Any  # of mpmath, which has no types


def kernel_of(name: str, lengthscale: Number) -> Callable[[Number, Number], Number]:
    def rbf(a: Number, b: Number) -> Number:
        return mp.exp(-(((a - b) / lengthscale) ** 2) / 2)

    def matern32(a: Number, b: Number) -> Number:
        v = mp.sqrt(3) * abs(a - b) / lengthscale
        return (1 + v) * mp.exp(-v)

    def matern52(a: Number, b: Number) -> Number:
        v = mp.sqrt(5) * abs(a - b) / lengthscale
        return (1 + v + v * v / 3) * mp.exp(-v)

    def iwp(a: Number, b: Number) -> Number:
        low, high = min(a, b), max(a, b)
        return 1 + a * b + low**2 * (3 * high - low) / (6 * lengthscale**3)

    return {"rbf": rbf, "matern32": matern32, "matern52": matern52, "iwp": iwp}[name]


def exact(name: str, hyper: Hyper, x: FloatArray, y: FloatArray, q: FloatArray) -> Answer:
    """In DIGITS digits."""
    with mp.workdps(DIGITS):
        k = kernel_of(name, mp.mpf(hyper.lengthscale))
        s, noise = mp.mpf(hyper.signal), mp.mpf(hyper.noise)
        X, Y, Q = ([mp.mpf(float(v)) for v in a] for a in (x, y, q))
        n = len(X)
        m = sum(Y) / n if n else mp.mpf(0)
        L = _cholesky([[k(a, b) + (noise if i == j else 0) for j, b in enumerate(X)] for i, a in enumerate(X)])
        z = _solve(L, [v - m for v in Y])
        V = [_solve(L, [k(a, b) for a in X]) for b in Q]
        mean = [m + sum(a * b for a, b in zip(v, z, strict=True)) for v in V]
        covariance = [
            [s * (k(a, b) - sum(i * j for i, j in zip(v, w, strict=True))) for b, w in zip(Q, V, strict=True)]
            for a, v in zip(Q, V, strict=True)
        ]
        logdet = 2 * sum(mp.log(L[i][i]) for i in range(n))
        evidence = -(sum(v * v for v in z) / s + logdet + n * mp.log(2 * mp.pi * s)) / 2
        prior = [mp.sqrt(s * k(a, a)) for a in Q]
        return Answer(_floats(mean), _floats(covariance), _floats(prior), float(evidence))


def extended(name: str, hyper: Hyper, x: FloatArray, y: FloatArray, q: FloatArray) -> Answer:
    """In numpy's longdouble, 64 bits of mantissa: for long histories."""
    X, Y, Q = (a.astype(np.longdouble) for a in (x, y, q))
    one, n, s = np.longdouble(1), len(x), np.longdouble(hyper.signal)

    def k(a: Any, b: Any) -> Any:
        if name == "iwp":
            low, high = np.minimum(a, b), np.maximum(a, b)
            return one + a * b + low**2 * (3 * high - low) / (6 * np.longdouble(hyper.lengthscale) ** 3)
        u = abs(a - b) / np.longdouble(hyper.lengthscale)
        v = np.sqrt(one * {"rbf": 1, "matern32": 3, "matern52": 5}[name]) * u
        shape = {"rbf": one, "matern32": one + v, "matern52": one + v + v * v / 3}[name]
        return shape * np.exp(-v * v / 2 if name == "rbf" else -v)

    K = k(X[:, None], X) + np.longdouble(hyper.noise) * np.eye(n, dtype=np.longdouble)
    rest = np.concatenate([K, (Y - Y.mean())[:, None], k(X[:, None], Q)], axis=1)
    logdet = np.longdouble(0)
    for i in range(n):
        pivot = rest[i, i]
        logdet += np.log(pivot)
        rest[i] /= np.sqrt(pivot)
        rest[i + 1 :] -= rest[i, i + 1 : n, None] * rest[i]
    z, V = rest[:, n], rest[:, n + 1 :]
    evidence = -(z @ z / s + logdet + n * np.log(2 * np.pi * s)) / 2
    covariance = s * (k(Q[:, None], Q) - V.T @ V)
    prior = np.sqrt(s * k(Q, Q)).astype(float)
    return Answer((Y.mean() + V.T @ z).astype(float), covariance.astype(float), prior, float(evidence))


def _cholesky(A: list[list[Number]]) -> list[list[Number]]:
    n = len(A)
    L = [[mp.mpf(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = A[i][j] - mp.fdot(L[i][:j], L[j][:j])
            L[i][j] = mp.sqrt(left) if i == j else left / L[j][j]
    return L


def _solve(L: list[list[Number]], b: list[Number]) -> list[Number]:
    z: list[Number] = []
    for i, row in enumerate(L):
        z.append((b[i] - mp.fdot(row[:i], z)) / row[i])
    return z


def _floats(values: list[Any]) -> FloatArray:
    return np.array([[float(v) for v in row] if isinstance(row, list) else float(row) for row in values])
