"""A contest with unequal prizes: a mixture of contests with equal ones, see `lefi.offers.rank`.

w_k  share of the total that goes in k equal prizes;  prize of place j: total * sum of w_k / k over k >= j
What a client can expect is linear in the prizes, and so is its effort: x = sum over k of the effort for w_k total in k
equal prizes. At the edge t of a tie at the most that counts, b, both sides are worth the same:
sum over k of w_k total / (n t) P(Bin(n, t) >= k + 1) = c (b - x(c)).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy

from lefi.arrays import FloatArray, Floats, number, vector, whole
from lefi.errors import InputError
from lefi.messages import in_short
from lefi.offers.rank import free_effort
from lefi.payments import pays

ZOOMS, POINTS = 4, 65  # the edge of the tie is looked for on a grid that is refined so often: to 1e-7


@pays("pool", name="prizes")
@dataclass(frozen=True, eq=False)
class PrizeOffer:
    """Prizes by place. `counts` and `shares`: so large a share of the total goes in so many equal prizes.

    Ties share the places they hold; 0 earns nothing. `believed` is the range of marginal costs that all believe in.

    >>> offer = lefi.PrizeOffer(total=10.0, counts=(1, 2), shares=(0.5, 0.5), believed=(0.01, 0.1), limit=[10.0] * 4)
    >>> offer.payment(np.array([9.0, 5.0, 2.0, 1.0]))
    array([7.5, 2.5, 0. , 0. ])
    """

    shared: ClassVar[bool] = True  # what a client earns hangs on the others

    total: float
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    believed: tuple[float, float]
    limit: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", number("total", self.total, low=0))
        object.__setattr__(self, "limit", vector("limit", self.limit, low=0))
        for count in self.counts:
            whole("prizes", count, low=1, high=len(self))
        if len(self.counts) != len(self.shares) or min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-9:
            raise InputError("shares", self.shares, "one share >= 0 for each count, 1 in all")
        low = number("believed", self.believed[0], above=0)
        if not number("believed", self.believed[1]) > low:
            raise InputError("believed", self.believed, "a range (low, high), low < high")

    def __len__(self) -> int:
        return self.limit.size

    def __repr__(self) -> str:
        return in_short(self)

    @property
    def prizes(self) -> FloatArray:
        """The prize of each place, the first one first. USD."""
        places = np.arange(1, len(self) + 1)
        parts = zip(self.counts, self.shares, strict=True)
        return np.sum([np.where(places <= k, self.total * w / k, 0.0) for k, w in parts], axis=0)

    def payment(self, sizes: Floats) -> FloatArray:
        return self.paid(np.nan_to_num(np.minimum(np.broadcast_to(sizes, (len(self),)), self.limit)))

    def paid(self, score: FloatArray) -> FloatArray:
        """What clients of these scores win."""
        places, group, held = np.unique(-score, return_inverse=True, return_counts=True)
        up_to = np.concatenate([[0.0], np.cumsum(self.prizes)])
        last = np.cumsum(held)
        share = np.where(places < 0, (up_to[last] - up_to[last - held]) / held, 0.0)
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
        F, most = np.clip((cost - m) / (C - m), 0, 1), float(self.limit.max())
        return np.where(self.tie(most) > F, most, np.minimum(self.free_effort(F), most))

    def free_effort(self, F: FloatArray) -> FloatArray:
        """x(c) at quantiles F of the cost, without a bound on what counts."""
        n, parts = len(self), zip(self.counts, self.shares, strict=True)
        return np.sum([free_effort(w * self.total, n, k, *self.believed, F) for k, w in parts], axis=0)

    def tie(self, most: float) -> float:
        """t: the share of the types that deliver `most`. 0 where nobody would."""
        if self._worth(np.ones(1), most)[0] >= 0:
            return 1.0
        if most <= 0 or float(self.free_effort(np.zeros(1))[0]) <= most:
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(ZOOMS):
            t = np.linspace(low, high, POINTS)
            below = int(np.argmax(self._worth(np.maximum(t, 1e-300), most) <= 0))
            low, high = float(t[max(below - 1, 0)]), float(t[below])
        return (low + high) / 2

    def _worth(self, t: FloatArray, most: float) -> FloatArray:
        """What joining the tie is worth to the client at its edge t, over staying below."""
        n, (m, C) = len(self), self.believed
        more = np.zeros_like(t)
        for k, w in zip(self.counts, self.shares, strict=True):
            if k < n:
                more += w * scipy.special.betainc(k + 1, n - k, t)  # P(Bin(n, t) >= k + 1)
        return np.asarray(self.total / (n * t) * more - (m + t * (C - m)) * (most - self.free_effort(t)))

    def to_columns(self) -> dict[str, FloatArray]:
        low, high = self.believed
        said = {"total": self.total, "cost_low": low, "cost_high": high}
        said |= {f"count_{i}": k for i, k in enumerate(self.counts)} | {
            f"share_{i}": w for i, w in enumerate(self.shares)
        }
        return {"limit": self.limit} | {name: np.full(len(self), float(value)) for name, value in said.items()}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        total, low, high = (float(columns[name][0]) for name in ("total", "cost_low", "cost_high"))
        parts = range(sum(name.startswith("count_") for name in columns))
        counts = tuple(int(columns[f"count_{i}"][0]) for i in parts)
        shares = tuple(float(columns[f"share_{i}"][0]) for i in parts)
        return cls(total, counts, shares, (low, high), columns["limit"])
