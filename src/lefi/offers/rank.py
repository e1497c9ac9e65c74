"""A contest: equal prizes for the k clients that deliver most.

V  total [USD]     n  clients     k  prizes of V / k     b  the most that counts [thousand samples]
a  marginal cost, uniform on [m, C] as all believe       F(a) = (a - m) / (C - m),  u = 1 - F(a)
W(a) = (V / k) P(Bin(n - 1, F(a)) <= k - 1)              what a client of cost a wins when rank follows cost
x(c) = int_c^C (1 / a) (-W'(a)) da = (V / k) int_0^Q(u) dq / a(q),  Q the distribution Beta(n - k, k) of u
Where x(c) would pass b, all clients with F(c) < t deliver b and share; at t both are worth the same:
V / (n t) P(Bin(n, t) >= k + 1) = c (b - x(c)).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
import scipy

from lefi.arrays import FloatArray, Floats, number, vector, whole
from lefi.errors import InputError
from lefi.messages import in_short
from lefi.payments import pays

CELLS = 4096  # of the integral over q
HALVINGS = 60


@pays("pool", name="rank")
@dataclass(frozen=True, eq=False)
class RankOffer:
    """The `prizes` largest deliveries share the total equally; ties share the places they hold; 0 earns nothing.

    `believed` is the range of marginal costs that all clients take for granted.

    >>> offer = lefi.RankOffer(total=6.0, prizes=2, believed=(0.01, 0.1), limit=[10.0] * 4)
    >>> offer.payment(np.array([9.0, 5.0, 2.0, 0.0]))
    array([3., 3., 0., 0.])
    """

    shared: ClassVar[bool] = True  # what a client earns hangs on the others

    total: float
    prizes: int
    believed: tuple[float, float]
    limit: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", number("total", self.total, low=0))
        object.__setattr__(self, "limit", vector("limit", self.limit, low=0))
        whole("prizes", self.prizes, low=1, high=len(self))
        low = number("believed", self.believed[0], above=0)
        if not number("believed", self.believed[1]) > low:
            raise InputError("believed", self.believed, "a range (low, high), low < high")

    def __len__(self) -> int:
        return self.limit.size

    def __repr__(self) -> str:
        return in_short(self)

    def payment(self, sizes: Floats) -> FloatArray:
        counted = np.nan_to_num(np.minimum(np.broadcast_to(sizes, (len(self),)), self.limit))
        places, group, held = np.unique(-counted, return_inverse=True, return_counts=True)
        last = np.cumsum(held)
        won = np.minimum(last, self.prizes) - np.minimum(last - held, self.prizes)
        share = np.where(places < 0, self.total / self.prizes * won / held, 0.0)
        return np.asarray(share[group])

    def worst_case(self) -> float:
        return self.total

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """The effort in the symmetric equilibrium, pushed into what this client can deliver."""
        cost = np.broadcast_to(np.asarray(marginal_cost, dtype=np.float64), (len(self),))
        return np.clip(self.effort(cost), low, np.maximum(low, np.minimum(high, self.limit)))

    def effort(self, cost: FloatArray) -> FloatArray:
        """x(c), with everybody below the tie delivering the most that counts."""
        m, C = self.believed
        F = np.clip((cost - m) / (C - m), 0, 1)
        most = float(self.limit.max())
        return np.where(
            tie(self.total, len(self), self.prizes, m, C, most) > F, most, np.minimum(self.free_effort(F), most)
        )

    def free_effort(self, F: FloatArray) -> FloatArray:
        """x(c) at quantiles F of the cost, without a bound on what counts."""
        return free_effort(self.total, len(self), self.prizes, *self.believed, F)

    def tie(self, most: float) -> float:
        """t: the share of the types that deliver `most`. 0 where nobody would."""
        return tie(self.total, len(self), self.prizes, *self.believed, most)

    def to_columns(self) -> dict[str, FloatArray]:
        low, high = self.believed
        said = {"total": self.total, "prizes": self.prizes, "cost_low": low, "cost_high": high}
        return {"limit": self.limit} | {name: np.full(len(self), float(value)) for name, value in said.items()}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        total, prizes, low, high = (float(columns[name][0]) for name in ("total", "prizes", "cost_low", "cost_high"))
        return cls(total, int(prizes), (low, high), columns["limit"])


def free_effort(total: float, n: int, k: int, m: float, C: float, F: FloatArray) -> FloatArray:
    """x(c) at quantiles F of the cost."""
    if k == n:
        return np.zeros_like(F)
    reached = scipy.special.betainc(n - k, k, 1 - F)
    return np.asarray(total / k * np.interp(reached, np.arange(CELLS + 1) / CELLS, integral(n, k, m, C)))


@lru_cache(maxsize=256)
def tie(total: float, n: int, k: int, m: float, C: float, most: float) -> float:
    """Of a contest. Kept: a game has few of them, and asks for each in every round."""

    def worth(t: float) -> float:
        """What joining the tie is worth to the client at its edge, over staying below."""
        c = m + t * (C - m)
        more = float(scipy.special.betainc(k + 1, n - k, t)) if k < n else 0.0  # P(Bin(n, t) >= k + 1)
        return total / (n * t) * more - c * (most - float(free_effort(total, n, k, m, C, np.array(t))))

    low, high = np.finfo(float).tiny, 1.0
    if worth(1.0) >= 0:
        return 1.0
    if most <= 0 or float(free_effort(total, n, k, m, C, np.array(0.0))) <= most:
        return 0.0
    for _ in range(HALVINGS):
        mid = (low + high) / 2
        low, high = (mid, high) if worth(mid) > 0 else (low, mid)
    return (low + high) / 2


@lru_cache(maxsize=64)
def integral(n: int, k: int, m: float, C: float) -> FloatArray:
    """int_0^q dq / a(q) at the ends of CELLS equal cells, by midpoints; depends on nothing else, so it is kept."""
    q = (np.arange(CELLS) + 0.5) / CELLS
    cost = C - scipy.special.betaincinv(n - k, k, q) * (C - m)
    up_to = np.concatenate([[0.0], np.cumsum(1 / cost)]) / CELLS
    up_to.flags.writeable = False
    return up_to
