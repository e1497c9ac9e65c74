"""Accuracy by round: A(D, pi, t), fitted to really trained federations.

D  size  [thousand samples]      pi  iid 0..1      t  rounds      z = (1 - pi)^3, how far from iid
A = floor + (top(z) - floor) Q(D) G(x)
Q  = 1 / (1 + (half / D)^bend)            what so much data can teach at all, of what any can
x  = t D^pull exp(-skew z) / slow         how far training has come: about the samples that were visited
G  rises from 0 to 1: hill x^k / (1 + x^k), weibull 1 - exp(-x^k), power 1 - (1 + x)^-k, with k = `power`
Accuracy never falls with rounds or size. Trained too long on little data it does fall: a server keeps its best model.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from lefi.arrays import FloatArray, Floats, number
from lefi.errors import InputError, UnknownName
from lefi.models.presets import find
from lefi.models.shapes import levels

KINDS = ("hill", "weibull", "power")
COEFFICIENTS = ("floor", "top_iid", "top_far", "half", "bend", "slow", "pull", "skew", "power")
POSITIVE = ("half", "bend", "slow", "power")


class Pooled(NamedTuple):
    """Clients that differ, as those clients that are all alike and train the same model."""

    steps: float  # size behind a round's step: FedAvg weighs a client's step by its size, so larger ones count twice
    data: float  # thousand samples that are there for each of the clients that were measured
    iid: float  # mean over samples


@dataclass(frozen=True)
class Learning:
    """Accuracy by size, iid and round. `error`: leave-one-cell-out RMSE, on seeds that did not choose the kind.

    >>> curve = lefi.learning("digits")
    >>> curve.after(sizes=0.2, iid=1.0, rounds=np.array([1, 5, 20])).round(2)
    array([0.11, 0.84, 1.  ])
    >>> round(curve.rounds_to(0.8, sizes=0.2, iid=1.0), 1)
    4.6
    """

    kind: str
    floor: float  # accuracy before the first round
    top_iid: float
    top_far: float
    half: float  # thousand samples
    bend: float
    slow: float  # rounds, at a thousand samples and iid 1
    pull: float
    skew: float
    power: float
    clients: int = 5  # that were trained together
    sizes_range: tuple[float, float] = (0.0, np.inf)
    rounds_range: tuple[float, float] = (0.0, np.inf)
    iid_range: tuple[float, float] = (0.0, 1.0)
    error: float = np.nan
    others: tuple[tuple[float, ...], ...] = ()  # coefficients fitted to seeds drawn again, for intervals

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownName("kind of learning", self.kind, KINDS)
        for name in COEFFICIENTS:
            number(f"learning.{name}", getattr(self, name), above=0 if name in POSITIVE else -np.inf)
        number("learning.pull", self.pull, low=0)
        for name in ("floor", "top_iid", "top_far"):
            number(f"learning.{name}", getattr(self, name), low=0, high=1)

    def after(self, sizes: Floats, iid: Floats, rounds: Floats) -> FloatArray:
        """Accuracy after so many rounds in which every client trains on `sizes` with degree `iid`; elementwise."""
        D, pi, t = _checked(sizes, iid, rounds)
        return self._at(D, D, pi, t)

    def joint(self, sizes: Floats, iid: Floats, rounds: Floats) -> FloatArray:
        """Accuracy after so many rounds of these clients, who may differ; one number for each of `rounds`."""
        pool = self.pooled(sizes, iid)
        steps, pi, t = _checked(pool.steps, pool.iid, rounds)
        return self._at(steps, np.asarray(pool.data), pi, t)

    def pooled(self, sizes: Floats, iid: Floats) -> Pooled:
        """These clients as equal ones. One number for `sizes`: as many clients as were measured, all alike.

        No answer (NaN) counts as nothing.
        """
        D, pi = np.broadcast_arrays(*_checked(np.nan_to_num(sizes, nan=0.0), iid, 0.0)[:2])
        total = float(D.sum())
        if D.ndim == 0 or total == 0:
            return Pooled(float(D.max()), float(D.max()), float(pi.mean()))
        share = D / total
        return Pooled(float((share * D).sum()), total / self.clients, min(float((share * pi).sum()), 1.0))

    def next(self, accuracy: float, sizes: Floats, iid: Floats) -> float:
        """Accuracy after one more round of these clients, standing at `accuracy` now; never below that."""
        before = self.rounds_to(accuracy, sizes, iid)
        return accuracy if np.isinf(before) else max(accuracy, float(self.joint(sizes, iid, before + 1)))

    def rounds_to(self, target: float, sizes: Floats, iid: Floats) -> float:
        """Rounds of these clients until the accuracy is `target`; inf where they never get there."""
        target = number("accuracy", target, low=0, high=1)
        if target <= self.floor:
            return 0.0
        pool = self.pooled(sizes, iid)
        most = float(self._most(np.asarray(pool.data), np.asarray(pool.iid)))
        pace = float(self._pace(np.asarray(pool.steps), np.asarray(pool.iid)))
        if not (pace > 0 and target < most):
            return np.inf
        return self._inverse((target - self.floor) / (most - self.floor)) / pace

    @cached_property
    def resampled(self) -> "tuple[Learning, ...]":
        """The same kind fitted to seeds that were drawn again: how far the fit itself can be trusted."""
        about = {f.name: getattr(self, f.name) for f in fields(self)} | {"others": ()}
        return tuple(Learning(**about | dict(zip(COEFFICIENTS, row, strict=True))) for row in self.others)

    def to_dict(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of(cls, where: str, table: dict[str, Any]) -> Self:
        """The learning of a preset's table; `where` says which."""
        wanted = {f.name for f in fields(cls)}
        if set(table) != wanted:
            raise InputError(f"learning in {where}", sorted(table), f"just {', '.join(sorted(wanted))}")
        ranges = {name: tuple(table[name]) for name in ("sizes_range", "rounds_range", "iid_range")}
        return cls(**{**table, **ranges, "others": tuple(tuple(row) for row in table["others"])})

    def _at(self, steps: FloatArray, data: FloatArray, iid: FloatArray, t: FloatArray) -> FloatArray:
        return np.asarray(self.floor + (self._most(data, iid) - self.floor) * self._risen(t * self._pace(steps, iid)))

    def _most(self, data: FloatArray, iid: FloatArray) -> FloatArray:
        """Accuracy after endless rounds."""
        top = np.maximum(levels(iid) @ [self.top_iid, self.top_far], self.floor)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.floor + (top - self.floor) / (1 + (self.half / data) ** self.bend))

    def _pace(self, steps: FloatArray, iid: FloatArray) -> FloatArray:
        """x of one round."""
        return np.asarray(steps**self.pull * np.exp(-self.skew * levels(iid)[..., 1]) / self.slow)

    def _risen(self, x: FloatArray) -> FloatArray:
        """G."""
        if self.kind == "hill":
            with np.errstate(divide="ignore", over="ignore"):
                return np.asarray(1 / (1 + x**-self.power))
        return np.asarray(-np.expm1(-(x**self.power)) if self.kind == "weibull" else 1 - (1 + x) ** -self.power)

    def _inverse(self, share: float) -> float:
        """The x at which G is that share, 0 < share < 1."""
        if self.kind == "hill":
            return float((share / (1 - share)) ** (1 / self.power))
        if self.kind == "weibull":
            return float((-np.log1p(-share)) ** (1 / self.power))
        return float((1 - share) ** (-1 / self.power) - 1)


def _checked(sizes: Floats, iid: Floats, rounds: Floats) -> tuple[FloatArray, FloatArray, FloatArray]:
    values = {"sizes": sizes, "iid": iid, "rounds": rounds}
    result = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    for name, array in result.items():
        if not (array >= 0).all() or (name == "iid" and not (array <= 1).all()):  # NaN is refused, too
            raise InputError(name, values[name], "within [0, 1]" if name == "iid" else ">= 0")
    return result["sizes"], result["iid"], result["rounds"]


def learning(name_or_path: str | Path) -> Learning:
    """How accuracy rises round by round: of "digits", "cifar10", "gtsrb", or of a preset that `lefi profile` wrote.

    >>> curve = lefi.learning("cifar10")
    >>> curve.kind, curve.rounds_range
    ('hill', (1.0, 100.0))
    """
    where, table = find("learning", name_or_path, {})
    return Learning.of(where, dict(table))
