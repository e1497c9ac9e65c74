"""Stationary kernels of unit variance, as functions of u = |x - x'| / lengthscale."""

from collections.abc import Callable

import numpy as np

from lefi.arrays import FloatArray

Kernel = Callable[[FloatArray], FloatArray]


def rbf(u: FloatArray) -> FloatArray:
    """exp(-u^2 / 2)"""
    return np.exp(-0.5 * u * u)


def matern32(u: FloatArray) -> FloatArray:
    """(1 + sqrt(3) u) exp(-sqrt(3) u)"""
    v = np.sqrt(3.0) * u
    return (1 + v) * np.exp(-v)


def matern52(u: FloatArray) -> FloatArray:
    """(1 + sqrt(5) u + 5 u^2 / 3) exp(-sqrt(5) u)"""
    v = np.sqrt(5.0) * u
    return (1 + v + v * v / 3) * np.exp(-v)


KERNELS: dict[str, Kernel] = {"rbf": rbf, "matern32": matern32, "matern52": matern52}
