"""What is done to the inputs before a process sees them: nothing, or the logarithm."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lefi.arrays import FloatArray, number
from lefi.errors import InputError


class Warp(Protocol):
    """An increasing map of the inputs; the origin goes to 0, where kernel iwp starts."""

    @property
    def name(self) -> str: ...

    @property
    def origin(self) -> float: ...

    def __call__(self, x: FloatArray) -> FloatArray: ...

    def inverse(self, u: FloatArray) -> FloatArray: ...

    def slope(self, x: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class NoWarp:
    """x - origin"""

    origin: float = 0.0
    name: str = "none"

    def __call__(self, x: FloatArray) -> FloatArray:
        return x - self.origin

    def inverse(self, u: FloatArray) -> FloatArray:
        return u + self.origin

    def slope(self, x: FloatArray) -> FloatArray:
        return np.ones(x.shape)


@dataclass(frozen=True)
class LogWarp:
    """log(x / origin): in log weight a rational client is a straight line between two plateaus."""

    origin: float = 1e-3
    name: str = "log"

    def __post_init__(self) -> None:
        number("origin", self.origin, above=0)

    def __call__(self, x: FloatArray) -> FloatArray:
        if x.min(initial=1.0) <= 0:
            raise InputError("inputs", float(x.min()), "> 0 (warp log)")
        return np.log(x / self.origin)

    def inverse(self, u: FloatArray) -> FloatArray:
        return self.origin * np.exp(u)

    def slope(self, x: FloatArray) -> FloatArray:
        return 1 / x


WARPS: dict[str, Callable[..., Warp]] = {"none": NoWarp, "log": LogWarp}


def warp(name: str, origin: float | None = None) -> Warp:
    """The warp of that name; without an origin, 0 or, for log, a thousandth of the unit of the inputs."""
    return WARPS[name]() if origin is None else WARPS[name](origin)
