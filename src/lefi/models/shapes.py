"""Other shapes of accuracy in size: a plane, two curves that flatten out, and one that first bends up (S-shaped).

D  size [thousand samples]      pi  iid 0..1      z = (1 - pi)^3, how far from iid: accuracy is flat near pi = 1
The curves are A = top(z) (1 - u) + base(z) u with u = u(D / reach(z)): `top` is where much data leads and `base` where
none leads, both between their values at pi = 1 ("iid") and at pi = 0 ("far"); u falls from 1 to 0 over the `reach`,
which differs for clients far from iid: reach = scale exp(skew z). For a given u they are linear in the four levels, so
a fit is a search over the two or three numbers in u with least squares inside (variable projection). Levels are kept
>= 0, or a steep start would be fitted by an accuracy far below 0 at sizes that nobody measured.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from lefi.arrays import FloatArray, Floats, number
from lefi.errors import InputError

SKEWS = (-2.0, -1.0, 0.0, 1.0, 2.0)  # where the search starts; its ends are the search's bounds
POWERS = np.geomspace(0.05, 4, 8)
HILLS = np.geomspace(1, 8, 8)  # below 1 the first sample would be worth infinitely much


@dataclass(frozen=True)
class _Fitted(ABC):
    """What every shape can say of itself."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            number(f"accuracy.{name}", value, above=0 if name in ("scale", "power") else -np.inf)

    @abstractmethod
    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray: ...

    @classmethod
    @abstractmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats, near: Self | None = None) -> Self: ...

    def refit(self, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """The same shape for nearly the same points."""
        return self.fit(sizes, iid, accuracy, self)

    def rmse(self, sizes: Floats, iid: Floats, accuracy: Floats) -> float:
        """Root mean square error on measured points."""
        return float(np.sqrt(np.mean((self(sizes, iid) - np.asarray(accuracy)) ** 2)))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class LinearAccuracy(_Fitted):
    """A(D, pi) = d D + e pi + f.

    >>> from lefi.models import LinearAccuracy
    >>> model = LinearAccuracy(d=0.02, e=0.1, f=0.2)
    >>> model(np.array([0.0, 5.0]), 1.0).round(3)
    array([0.3, 0.4])
    """

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
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats, near: Self | None = None) -> Self:
        """Least squares on measured points; in closed form, so it needs no fit to start from."""
        D, pi, A = points(sizes, iid, accuracy)
        return cls(*least_squares(np.stack([D, pi, np.ones_like(D)], axis=1), A)[0].tolist())


@dataclass(frozen=True)
class _Curve(_Fitted):
    """What both curves share."""

    top_iid: float
    top_far: float
    base_iid: float
    base_far: float
    scale: float
    skew: float

    def top(self, iid: Floats) -> FloatArray:
        return np.asarray(levels(iid) @ [self.top_iid, self.top_far])

    def gap(self, iid: Floats) -> FloatArray:
        """What data can add: top - base."""
        return np.asarray(levels(iid) @ [self.top_iid - self.base_iid, self.top_far - self.base_far])

    def reach(self, iid: Floats) -> FloatArray:
        """The size over which accuracy rises [thousand samples]."""
        return np.asarray(self.scale * np.exp(self.skew * levels(iid)[..., 1]))


@dataclass(frozen=True)
class ExponentialAccuracy(_Curve):
    """A(D, pi) = top - (top - base) exp(-D / reach).

    >>> from lefi.models import ExponentialAccuracy
    >>> sizes, iid = np.meshgrid([0.5, 1.0, 2.0, 4.0, 8.0], [0.0, 0.5, 1.0])
    >>> model = ExponentialAccuracy.fit(sizes, iid, 0.6 - 0.4 * np.exp(-sizes / 2))
    >>> model(np.array([2.0, 4.0]), 1.0).round(2)
    array([0.45, 0.55])
    """

    kind: ClassVar[str] = "exponential"

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        return np.asarray(self.top(iid) - self.gap(iid) * np.exp(-np.asarray(sizes) / self.reach(iid)))

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = (top - base) / reach exp(-D / reach)."""
        reach = self.reach(iid)
        return np.asarray(self.gap(iid) / reach * np.exp(-np.asarray(sizes) / reach))

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats, near: Self | None = None) -> Self:
        """Least squares on measured points, searched for everywhere or near a fit to nearly the same points."""
        starts = np.array([[s, skew] for s in _scales(sizes) for skew in SKEWS])
        first = None if near is None else np.array([near.scale, near.skew])
        found, (scale, skew) = _search(lambda x, _: np.exp(-x), starts, first, sizes, iid, accuracy)
        return cls(*found, scale, skew)


@dataclass(frozen=True)
class PowerAccuracy(_Curve):
    """A(D, pi) = top - (top - base) (1 + D / reach)^-power.

    >>> model = lefi.accuracy("cifar10")
    >>> model.kind, model(np.array([1.0, 5.0]), 1.0).round(2)
    ('power', array([0.38, 0.59]))
    """

    kind: ClassVar[str] = "power"
    power: float

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        return np.asarray(self.top(iid) - self.gap(iid) * (1 + np.asarray(sizes) / self.reach(iid)) ** -self.power)

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = (top - base) power / reach (1 + D / reach)^-(power + 1)."""
        reach = self.reach(iid)
        falling = (1 + np.asarray(sizes) / reach) ** -(self.power + 1)
        return np.asarray(self.gap(iid) * self.power / reach * falling)

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats, near: Self | None = None) -> Self:
        """Least squares on measured points, searched for everywhere or near a fit to nearly the same points."""
        starts = np.array([[s, skew, np.log(k)] for s in _scales(sizes) for skew in SKEWS for k in POWERS])
        first = None if near is None else np.array([near.scale, near.skew, np.log(near.power)])
        found, shape = _search(lambda x, s: (1 + x) ** -np.exp(s[2]), starts, first, sizes, iid, accuracy)
        scale, skew, log_power = shape
        return cls(*found, scale, skew, power=float(np.exp(log_power)))


@dataclass(frozen=True)
class HillAccuracy(_Curve):
    """A(D, pi) = top - (top - base) / (1 + (D / reach)^power): with a power above 1 little data buys nothing.

    >>> from lefi.models import HillAccuracy
    >>> sizes, iid = np.meshgrid([0.5, 1.0, 2.0, 4.0, 8.0], [0.0, 0.5, 1.0])
    >>> model = HillAccuracy.fit(sizes, iid, 0.8 - 0.7 / (1 + (sizes / 2) ** 2))
    >>> model(np.array([1.0, 4.0]), 1.0).round(2)
    array([0.24, 0.66])
    """

    kind: ClassVar[str] = "hill"
    power: float

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        x = np.asarray(sizes) / self.reach(iid)
        return np.asarray(self.top(iid) - self.gap(iid) / (1 + x**self.power))

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = (top - base) power / reach x^(power - 1) / (1 + x^power)^2, x = D / reach."""
        reach = self.reach(iid)
        x = np.asarray(sizes) / reach
        return np.asarray(self.gap(iid) * self.power / reach * x ** (self.power - 1) / (1 + x**self.power) ** 2)

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats, near: Self | None = None) -> Self:
        """Least squares on measured points, searched for everywhere or near a fit to nearly the same points."""
        starts = np.array([[s, skew, np.log(k)] for s in _scales(sizes) for skew in SKEWS for k in HILLS])
        first = None if near is None else np.array([near.scale, near.skew, np.log(near.power)])
        found, shape = _search(lambda x, s: 1 / (1 + x ** np.exp(s[2])), starts, first, sizes, iid, accuracy)
        scale, skew, log_power = shape
        return cls(*found, scale, skew, power=float(np.exp(log_power)))


def levels(iid: Floats) -> FloatArray:
    """(..., 2): the weights 1 - z and z of a level at pi = 1 and at pi = 0."""
    z = (1 - np.asarray(iid, dtype=np.float64)) ** 3
    return np.stack([1 - z, z], axis=-1)


def _scales(sizes: Floats) -> FloatArray:
    return np.asarray(np.geomspace(0.02, 20, 16) * np.max(sizes))


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
    return np.asarray(found, dtype=np.float64), float(((columns @ found - A) ** 2).sum())


def _search(
    fall: Callable[[FloatArray, FloatArray], FloatArray],
    starts: FloatArray,
    first: FloatArray | None,
    sizes: Floats,
    iid: Floats,
    A: Floats,
) -> tuple[tuple[float, float, float, float], list[float]]:
    """The four levels, and [scale, skew, ...]; `fall` is u of D / reach and these. From `first`, or the best start."""
    D, pi, A = points(sizes, iid, A)
    if np.unique(D).size < 3 or np.unique(pi).size < 3 or D.size < 4 + starts.shape[1]:
        raise InputError("points", f"{D.size} of them", "with >= 3 sizes and >= 3 iid values apart")
    mix = levels(pi)

    def solve(shape: FloatArray) -> tuple[FloatArray, float]:
        u = fall(D / (shape[0] * np.exp(shape[1] * mix[:, 1])), shape)[:, None]
        found, error = scipy.optimize.nnls(np.concatenate([mix * (1 - u), mix * u], axis=1), A)
        return found, float(error)

    low, high = starts.min(axis=0), starts.max(axis=0)
    best = min(starts, key=lambda start: solve(start)[1]) if first is None else first
    refined = scipy.optimize.minimize(
        lambda shape: solve(np.clip(shape, low, high))[1],
        best,
        method="Nelder-Mead",
        options={"xatol": 1e-5, "fatol": 1e-9, "maxiter": 600},
    )
    shape = np.clip(refined.x, low, high)
    top_iid, top_far, base_iid, base_far = solve(shape)[0].tolist()
    return (top_iid, top_far, base_iid, base_far), shape.tolist()
