"""Clients post contracts, the server buys: who sells is the principal, and the buyer answers under its budget.

After Saputra et al. (2021), whose vehicles offer contracts to a provider; its utility could not be read, so the server
here buys as much value as its budget pays for. Symbols as in `lefi.offers.auction`: d_n price of a unit of value that
client n posts, s_n = w_n l_n value that it sells. A contract is bought whole or not at all, and paid as posted.
The server buys in the order of d_n while the sum of d_n s_n fits the budget.
Best answer of a client: the highest d_n at which it is still bought, given what the others post; its cost if there is
none. Clients answer in turn until nobody moves by more than a step. That ends where all who sell ask one price, the one
at which the budget is used up (or the next client would sell, too): nobody gains by asking more, nor by asking less.
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.offers.auction import AuctionAward, AuctionCall
from lefi.payments import pays

STEP = 0.003  # by this share a client undercuts another; prices end within a few of it
TURNS = 200  # rounds of answers at most: where a contract does not quite fit, the last digits may go round in circles
MANY = 200  # clients from which the price is computed where answers lead to: they take the square of their number


@pays("auction", name="contracts")
@dataclass(frozen=True, eq=False)
class PrincipalCall(AuctionCall):
    """The rule by which contracts are bought. A bid is what a client asks for a thousand samples.

    >>> call = lefi.PrincipalCall(budget=1.0, value=[1.0, 1.0], limit=[5.0, 5.0], ids=np.array([0, 1]))
    >>> call.award(np.array([0.05, 0.1])).price.round(3)
    array([0.05, 0.1 ])
    """

    def award(self, bids: FloatArray, capacity: FloatArray | None = None) -> AuctionAward:
        """What is bought of these contracts; a bid that is NaN or below 0 is none."""
        bids = np.asarray(bids, dtype=np.float64)
        stated = self.limit if capacity is None else np.clip(np.nan_to_num(capacity), 0.0, self.limit)
        price = np.zeros(len(self))
        order = self._sellers(bids, stated)
        fits = np.cumsum((bids * stated)[order]) <= self.budget
        price[order[fits]] = bids[order[fits]]
        return AuctionAward(price, stated, bids)

    def posted(self, cost: FloatArray, capacity: FloatArray) -> FloatArray:
        """What clients of these unit costs ask, where their best answers to each other end."""
        stated = np.clip(np.nan_to_num(capacity), 0.0, self.limit)
        order = self._sellers(np.asarray(cost, dtype=np.float64), stated)
        asked = np.array(cost, dtype=np.float64)
        if order.size == 0 or self.budget == 0:
            return asked
        worth = (self.value / np.where(self.limit > 0, self.limit, 1.0))[order]
        d, s = asked[order] / worth, worth * stated[order]
        price = clearing(d, s, self.budget)
        asked[order] = worth * (price if order.size > MANY else answers(d, s, self.budget, price))
        return asked

    def _sellers(self, bids: FloatArray, stated: FloatArray) -> IntArray:
        """Those who sell something, by what they ask for a unit of value; of equals the smaller id first."""
        with np.errstate(divide="ignore", invalid="ignore"):
            density = bids * self.limit / self.value
        who = np.flatnonzero(np.isfinite(density) & (density >= 0) & (self.value > 0) & (stated > 0))
        return who[np.lexsort((self.ids[who], density[who]))]


def clearing(d: FloatArray, s: FloatArray, budget: float) -> FloatArray:
    """The one price at which the budget buys all whose cost d, sorted upwards, is below it; others ask their cost."""
    price = np.minimum(budget / np.cumsum(s), np.append(d[1:], np.inf))
    one = float(np.where(price >= d, price, 0.0).max())
    return np.where(d <= one, np.maximum(d, one * (1 - STEP)), d)


def answers(d: FloatArray, s: FloatArray, budget: float, first: FloatArray) -> FloatArray:
    """Best answers in turn, from what is asked first on, until nobody moves. From the costs on it takes long."""
    asked = first.copy()
    for _ in range(TURNS):
        before = asked.copy()
        for n in range(d.size):
            best = max(answer(n, asked, s, budget), float(d[n]))
            if abs(best - asked[n]) > STEP / 2 * asked[n]:
                asked[n] = best
        if (asked == before).all():
            break
    return asked


def answer(n: int, asked: FloatArray, s: FloatArray, budget: float) -> float:
    """The highest price at which client n is bought while the others ask this; 0 where there is none."""
    others = np.delete(np.arange(asked.size), n)
    others = others[np.argsort(asked[others], kind="stable")]
    spent = np.concatenate([[0.0], np.cumsum((asked * s)[others])])
    above, below = np.append(asked[others] * (1 - STEP), np.inf), np.concatenate([[0.0], asked[others]])
    price = np.minimum(above, (budget - spent) / s[n])  # just under the next one, and within what is left
    return float(np.where(price >= below, price, 0.0).max())
