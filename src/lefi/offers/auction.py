"""A call for bids: clients bid a unit cost, a rule that was published before answers with prices and limits.

b_n  bid [USD / thousand samples]     L_n  limit of the call     l_n <= L_n  what the client says it can deliver
v_n  value of L_n to the server       w_n = v_n / L_n, value of a thousand samples       d_n = b_n / w_n, sorted upwards
u_n  the largest price of value with  u_n (v_n + sum of w_j l_j over the others with d_j <= u_n) <= budget
Client n wins if d_n <= u_n, and is paid u_n w_n for each thousand samples up to l_n.

Truth: u_n follows from the others alone, for n itself counts with v_n whatever it says. While in, neither the own bid
nor the own statement moves the own price; a larger l_n lets it sell more at that price; above u_n it is out. So the
true cost and all that it can deliver are best, whatever the others say.
Budget: let u be the largest price with u (sum of w_j l_j over all with d_j <= u) <= budget. Counting v_n >= w_n l_n
makes every u_n <= u, so winners are among those with d_j <= u and cost at most u (sum of their w_j l_j) <= budget.
Where everybody states L_n this is proportional share (Singer 2010): one price for all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from lefi.arrays import FloatArray, Floats, IntArray, number, vector
from lefi.messages import in_short
from lefi.offers.price import PriceOffer
from lefi.payments import pays


@pays("auction")
@dataclass(frozen=True, eq=False)
class AuctionAward(PriceOffer):
    """What the rule made of the bids: a price for each winner, price 0 for the others.

    >>> call = lefi.AuctionCall(budget=1.0, value=[1.0, 1.0], limit=[5.0, 5.0], ids=np.array([0, 1]))
    >>> award = call.award(np.array([0.05, 0.3]))
    >>> award.price.round(3), award.worst_case() <= 1.0
    (array([0.2, 0. ]), True)
    """

    bids: FloatArray

    def __repr__(self) -> str:
        return in_short(self)

    def __post_init__(self) -> None:
        super().__post_init__()
        bids = np.array(self.bids, dtype=np.float64)  # NaN: no bid
        bids.flags.writeable = False
        object.__setattr__(self, "bids", bids)

    def to_columns(self) -> dict[str, FloatArray]:
        return super().to_columns() | {"bid": self.bids}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        return cls(columns["price"], columns["limit"], columns["bid"])


@pays("auction", name="call")
@dataclass(frozen=True, eq=False)
class AuctionCall:
    """The rule, published before the bids. `ids` break ties, so that the order of clients plays no part.

    As an offer it promises nothing yet: what counts is the award that the market makes of the bids.

    >>> call = lefi.AuctionCall(budget=1.0, value=[1.0, 1.0, 1.0], limit=[5.0] * 3, ids=np.arange(3))
    >>> call.award(np.array([0.02, 0.04, 0.2])).price.round(3)
    array([0.1, 0.1, 0. ])
    """

    budget: float
    value: FloatArray
    limit: FloatArray
    ids: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", number("budget", self.budget, low=0))
        object.__setattr__(self, "value", vector("value", self.value, low=0))
        object.__setattr__(self, "limit", vector("limit", self.limit, clients=self.value.size, low=0))

    def __len__(self) -> int:
        return self.value.size

    def __repr__(self) -> str:
        return in_short(self)

    def payment(self, sizes: Floats) -> FloatArray:
        return np.zeros(len(self))

    def worst_case(self) -> float:
        return self.budget

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        return np.array(np.broadcast_to(low, (len(self),)), dtype=np.float64)

    def to_columns(self) -> dict[str, FloatArray]:
        """For completeness: what is kept of an auction is its award."""
        budget, ids = np.full(len(self), self.budget), self.ids.astype(np.float64)
        return {"limit": self.limit, "value": self.value, "budget": budget, "call": ids}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        ids = columns["call"].astype(np.int64)
        return cls(float(columns["budget"][0]), columns["value"], columns["limit"], ids)

    def award(self, bids: FloatArray, capacity: FloatArray | None = None) -> AuctionAward:
        """Prices and limits for these bids; a bid that is NaN or below 0 is none.

        `capacity` is what each client says it can deliver; without it all can deliver what is called for.
        """
        bids = np.asarray(bids, dtype=np.float64)
        stated = self.limit if capacity is None else np.clip(np.nan_to_num(capacity), 0.0, self.limit)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = self.value / self.limit
            price = self._prices(bids / worth, worth, stated) * worth
        return AuctionAward(np.where(price > 0, price, 0.0), stated, bids)

    def posted(self, cost: FloatArray, capacity: FloatArray) -> FloatArray:
        """What clients of these unit costs bid at best: the truth, whatever the others do."""
        return cost

    def _prices(self, density: FloatArray, worth: FloatArray, stated: FloatArray) -> FloatArray:
        """u_n of those who win, 0 for the others. Of equal bids the smaller id comes first."""
        prices = np.zeros(len(self))
        who = np.flatnonzero(np.isfinite(density) & (density >= 0) & (self.value > 0) & (stated > 0))
        order = who[np.lexsort((self.ids[who], density[who]))]
        if order.size == 0:
            return prices
        d, supply = density[order], (worth * stated)[order]
        V = supply.cumsum()
        missing = np.maximum(self.value[order] - supply, 0.0)  # what n counts for beyond what it says
        wins = d * (missing + V) <= self.budget
        lacks = missing[wins]
        last = _last_within(d, V, lacks, self.budget)
        beyond = np.append(d, np.inf)[last + 1]
        prices[order[wins]] = np.minimum(self.budget / (lacks + V[last]), beyond)
        return prices


def _last_within(d: FloatArray, V: FloatArray, lacks: FloatArray, budget: float) -> IntArray:
    """For each client the last k with d_k (lacks + V_k) <= budget, by halving: the left side rises with k."""
    low, high = np.zeros(lacks.size, dtype=np.int64), np.full(lacks.size, d.size, dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        fits = d[middle] * (lacks + V[middle]) <= budget
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low
