"""A call for bids: clients bid a unit cost, a rule that was published before answers with prices and limits.

b_n  bid [USD / thousand samples]     l_n  limit [thousand samples]    v_n  value of the limit to the server
d_n = b_n l_n / v_n, what a unit of value costs, sorted upwards; V_k = v_1 + .. + v_k
The first k clients win, k the last with d_k <= budget / V_k; each is paid v_n min(budget / V_k, d_{k+1}) for l_n.
That payment is the highest bid with which the client would still win, so no other bid earns it more; it covers the
bid, and the payments sum to at most the budget (proportional share, Singer 2010).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from lefi.arrays import BoolArray, FloatArray, Floats, IntArray, number, vector
from lefi.messages import in_short
from lefi.offers.price import PriceOffer
from lefi.payments import pays


@pays("auction")
@dataclass(frozen=True, eq=False)
class AuctionAward(PriceOffer):
    """What the rule made of the bids: a price for each winner, price 0 for the others."""

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

    def award(self, bids: FloatArray) -> AuctionAward:
        """Prices and limits for these bids; a bid that is NaN or below 0 is none."""
        bids = np.asarray(bids, dtype=np.float64)
        ask = bids * self.limit
        wins, unit = self._winners(ask)
        with np.errstate(divide="ignore", invalid="ignore"):
            price = np.where(wins, unit * self.value / self.limit, 0.0)
        return AuctionAward(price, self.limit, bids)

    def _winners(self, ask: FloatArray) -> tuple[BoolArray, float]:
        """Who wins, and what is paid for a unit of value."""
        takes_part = np.isfinite(ask) & (ask >= 0) & (self.value > 0) & (self.limit > 0)
        wins = np.zeros(len(self), dtype=bool)
        who = np.flatnonzero(takes_part)
        if who.size == 0:
            return wins, 0.0
        density = ask[who] / self.value[who]
        order = np.lexsort((self.ids[who], density))
        density, values = density[order], self.value[who[order]].cumsum()
        count = int((density <= self.budget / values).sum())  # density rises, budget / values falls: a prefix
        if count == 0:
            return wins, 0.0
        wins[who[order[:count]]] = True
        next_bid = float(density[count]) if count < density.size else np.inf
        return wins, min(self.budget / float(values[count - 1]), next_bid)
