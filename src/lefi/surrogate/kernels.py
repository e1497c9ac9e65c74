"""The kernels of the bank, and the hyper-parameters that the processes of a fleet share.

k(x, x') = signal * kernel, noise variance = signal * noise
rbf       exp(-u^2 / 2)                                        u = |x - x'| / lengthscale
matern32  (1 + v) exp(-v), v = sqrt(3) u                       matern52  (1 + v + v^2 / 3) exp(-v), v = sqrt(5) u
iwp       1 + x x' + rho a^2 (3 b - a) / 6, a <= b the two inputs, rho = lengthscale^-3: an integrated Wiener process
          that starts at 0 with level and slope of variance `signal`
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, number
from lefi.surrogate.stream import IWP, MATERN32, MATERN52

Kernel = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Hyper:
    """What the processes of a fleet share: lengthscale of the input, signal variance, noise as a share of it.

    >>> from lefi.surrogate import Bank, Hyper
    >>> Bank("rbf", Hyper(lengthscale=2.0, signal=4.0)).hyper
    Hyper(lengthscale=2.0, signal=4.0, noise=0.0001)
    """

    lengthscale: float = 1.0
    signal: float = 1.0
    noise: float = 1e-4

    def __post_init__(self) -> None:
        number("lengthscale", self.lengthscale, above=0)
        number("signal", self.signal, above=0)
        number("noise", self.noise, above=0)


def rbf(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.exp(-0.5 * (a - b) ** 2)


def matern32(a: FloatArray, b: FloatArray) -> FloatArray:
    v = np.sqrt(3.0) * np.abs(a - b)
    return (1 + v) * np.exp(-v)


def matern52(a: FloatArray, b: FloatArray) -> FloatArray:
    v = np.sqrt(5.0) * np.abs(a - b)
    return (1 + v + v * v / 3) * np.exp(-v)


KERNELS: dict[str, Kernel] = {"rbf": rbf, "matern32": matern32, "matern52": matern52}  # of inputs / lengthscale
STATE_SPACE = {"iwp": IWP, "matern32": MATERN32, "matern52": MATERN52}
NAMES = ("rbf", *STATE_SPACE)


def rate(kernel: str, lengthscale: FloatArray) -> FloatArray:
    """What the sweep calls scale: rho, or lam."""
    if kernel == "iwp":
        return lengthscale**-3.0
    return np.sqrt({"matern32": 3.0, "matern52": 5.0}[kernel]) / lengthscale


def gram(kernel: str, a: FloatArray, b: FloatArray, lengthscale: float) -> FloatArray:
    """k(a, b) elementwise in units of the signal, by its definition."""
    if kernel == "iwp":
        low, high = np.minimum(a, b), np.maximum(a, b)
        return 1 + a * b + low * low * (3 * high - low) / (6 * lengthscale**3)
    return KERNELS[kernel](a / lengthscale, b / lengthscale)


def steepness(kernel: str, a: FloatArray, b: FloatArray, lengthscale: float) -> FloatArray:
    """Covariance of the derivatives at a and b; the derivative is asked for at one input, a = b."""
    if kernel == "iwp":
        return 1 + np.minimum(a, b) / lengthscale**3
    return np.full(a.shape, {"rbf": 1.0, "matern32": 3.0, "matern52": 5 / 3}[kernel] / lengthscale**2)
