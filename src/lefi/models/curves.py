"""Other shapes of accuracy in size: a plane, and two curves that flatten out.

D  size [thousand samples]      pi  iid 0..1
The curves are A = top(pi) - gap(pi) u(D): `top` is where much data leads, `gap` what is missing without any, both
quadratic in pi, and u falls from 1 to 0. For a given u they are linear in their coefficients, so a fit is a search
over the one or two numbers in u with least squares inside (variable projection).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.optimize import minimize

from lefi.arrays import FloatArray, Floats
from lefi.errors import InputError

SCALES = np.geomspace(0.02, 20, 25)  # of the search, in units of the largest size
POWERS = np.geomspace(0.05, 4, 12)


@dataclass(frozen=True)
class LinearAccuracy:
    """A(D, pi) = d D + e pi + f."""

    kind: ClassVar[str] = "linear"
    d: float
    e: float
    f: float

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        return np.asarray(self.d * np.asarray(sizes) + self.e * np.asarray(iid) + self.f)

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = d, everywhere."""
        return np.full(np.broadcast_shapes(np.shape(sizes), np.shape(iid)), self.d)

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """Least squares on measured points."""
        D, pi, A = points(sizes, iid, accuracy)
        return cls(*least_squares(np.stack([D, pi, np.ones_like(D)], axis=1), A)[0].tolist())


@dataclass(frozen=True)
class _Curve:
    """What both curves share: top_0 + top_1 pi + top_2 pi^2 and the same for gap."""

    top_0: float
    top_1: float
    top_2: float
    gap_0: float
    gap_1: float
    gap_2: float

    def top(self, iid: Floats) -> FloatArray:
        return np.polynomial.polynomial.polyval(np.asarray(iid), [self.top_0, self.top_1, self.top_2])

    def gap(self, iid: Floats) -> FloatArray:
        return np.polynomial.polynomial.polyval(np.asarray(iid), [self.gap_0, self.gap_1, self.gap_2])


@dataclass(frozen=True)
class ExponentialAccuracy(_Curve):
    """A(D, pi) = top(pi) - gap(pi) exp(-D / scale)."""

    kind: ClassVar[str] = "exponential"
    scale: float

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        return np.asarray(self.top(iid) - self.gap(iid) * np.exp(-np.asarray(sizes) / self.scale))

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = gap(pi) / scale exp(-D / scale)."""
        return np.asarray(self.gap(iid) / self.scale * np.exp(-np.asarray(sizes) / self.scale))

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """Least squares on measured points."""
        starts = SCALES[:, None] * np.max(sizes)
        inner, shape = _search(lambda D, s: np.exp(-D / s[0]), starts, sizes, iid, accuracy)
        return cls(*inner, *shape)


@dataclass(frozen=True)
class PowerAccuracy(_Curve):
    """A(D, pi) = top(pi) - gap(pi) (1 + D / scale)^-power."""

    kind: ClassVar[str] = "power"
    scale: float
    power: float

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        return np.asarray(self.top(iid) - self.gap(iid) * (1 + np.asarray(sizes) / self.scale) ** -self.power)

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = gap(pi) power / scale (1 + D / scale)^-(power + 1)."""
        falling = (1 + np.asarray(sizes) / self.scale) ** -(self.power + 1)
        return np.asarray(self.gap(iid) * self.power / self.scale * falling)

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """Least squares on measured points."""
        starts = np.array([[s, k] for s in SCALES * np.max(sizes) for k in POWERS])
        inner, shape = _search(lambda D, s: (1 + D / s[0]) ** -s[1], starts, sizes, iid, accuracy)
        return cls(*inner, *shape)


def points(sizes: Floats, iid: Floats, accuracy: Floats) -> tuple[FloatArray, FloatArray, FloatArray]:
    D, pi, A = (np.asarray(values, dtype=np.float64).ravel() for values in (sizes, iid, accuracy))
    if not all(np.isfinite(values).all() for values in (D, pi, A)):
        raise InputError("points", "not finite", "finite")
    return D, pi, A


def least_squares(columns: FloatArray, A: FloatArray) -> tuple[FloatArray, float]:
    """Coefficients and the sum of squared errors; refused where the points do not settle them."""
    found, _, rank, _ = np.linalg.lstsq(columns, A)
    if rank < columns.shape[1]:
        raise InputError("points", f"{A.size} of them", "more sizes and iid values apart")
    return found, float(((columns @ found - A) ** 2).sum())


def _search(
    fall: Callable[[FloatArray, FloatArray], FloatArray], starts: FloatArray, sizes: Floats, iid: Floats, A: Floats
) -> tuple[list[float], list[float]]:
    """Linear coefficients (top, -gap with its sign turned) and the numbers inside u(D)."""
    D, pi, A = points(sizes, iid, A)
    if np.unique(D).size < 3 or np.unique(pi).size < 3 or D.size < 6 + starts.shape[1]:
        raise InputError("points", f"{D.size} of them", "with >= 3 sizes and >= 3 iid values apart")
    powers = np.stack([np.ones_like(pi), pi, pi**2], axis=1)

    def solve(logs: FloatArray) -> tuple[FloatArray, float]:
        u = fall(D, np.exp(logs))
        columns = np.concatenate([powers, -powers * u[:, None]], axis=1)
        found = np.linalg.lstsq(columns, A)[0]
        return found, float(((columns @ found - A) ** 2).sum())

    low, high = np.log(starts.min(axis=0)), np.log(starts.max(axis=0))
    best = min(np.log(starts), key=lambda start: solve(start)[1])
    refined = minimize(
        lambda logs: solve(np.clip(logs, low, high))[1],
        best,
        method="Nelder-Mead",
        options={"xatol": 1e-4, "fatol": 1e-12},
    )
    logs = np.clip(refined.x, low, high)
    return solve(logs)[0].tolist(), np.exp(logs).tolist()
