"""`posted`: one price for each of two groups, learned from the other group. No client can teach it a price for itself.

b  budget / clients [USD]     r  price on a fixed grid [USD / thousand samples]     l = b / r, at most size_high
F_r  share of what it was asked for that the other group delivers at r, from its answers to exploring offers
Clients fall into two groups by a hash of their id. Exploring offers are drawn beforehand: who gets one in a round, and
at which price, hangs on seed, round and id alone. A group is posted the r that makes F_r (A(l) - A(size_low)) largest.
What a client answers moves nothing but the price of the other group, and nothing that comes back from there is learned
from: so the best answer to every offer is the honest one. All offers together cost at most the budget.
"""

from functools import cache
from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import PriceOffer

STEPS = 8  # prices of the grid in an octave: two neighbours differ by 9%
LOWEST, HIGHEST = -60, 20  # octaves of the whole grid around 1 USD per thousand samples
ERROR = 0.02  # chance that an answer says nothing about the price: a fleet is never quite as it is believed to be
ANSWERS = 20.0  # exploring offers of the first rounds: with 10 clients two rounds of them, with 20 or more one


@register("posted")
class Posted:
    """Take it or leave it. `octaves`: how far above budget / (clients size_high) prices are tried.

    `explore`: least share of clients that get an exploring offer in a round. `forget`: share of what an answer counts
    that is lost with each round, for fleets that change. `learn` False posts the price of the first round for ever.

    >>> market = lefi.scenario("paper", clients=4, payment="price")
    >>> mechanism = lefi.make("posted", market.terms)
    >>> [round(receipt.paid, 2) for receipt in lefi.play(mechanism, market, rounds=4)]
    [1.98, 1.98, 2.0, 1.98]
    """

    payment = "price"
    tier = "sizes"
    learns = "others"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        octaves: Annotated[int, Field(ge=1, le=20)] = 3,
        explore: Annotated[float, Field(gt=0, le=1)] = 0.03,
        forget: Annotated[float, Field(ge=0, lt=1)] = 0.005,
        learn: bool = True,
    ) -> None:
        self.terms, self.seed, self.octaves, self.explore, self.forget = terms, seed, octaves, explore, forget
        self.learn, self.round = learn, 0
        self.asked = np.zeros((2, (HIGHEST - LOWEST) * STEPS))  # group, place in the grid
        self.given = np.zeros_like(self.asked)

    def ask(self, roster: Roster, budget: float | None = None) -> PriceOffer:
        places = self._places(roster, budget)
        own = self._groups(roster.ids)
        chosen = np.array([self._best(roster, places, 1 - group, budget) for group in (0, 1)])[own]
        explores, drawn = self._schedule(roster, self.round + 1, budget)
        price = _price(np.where(explores, drawn, chosen))
        return PriceOffer(price, self._limit(roster, price, budget))

    def tell(self, receipt: Receipt[PriceOffer]) -> None:
        self.round = receipt.round
        explores, place = self._schedule(receipt.roster, receipt.round, receipt.budget)
        heard = explores & receipt.answered & (receipt.offer.limit > 0)
        self.asked *= 1 - self.forget
        self.given *= 1 - self.forget
        where = self._groups(receipt.roster.ids)[heard], place[heard]
        np.add.at(self.asked, where, 1.0)
        np.add.at(self.given, where, np.minimum(receipt.sizes[heard] / receipt.offer.limit[heard], 1.0))

    def _groups(self, ids: IntArray) -> IntArray:
        return (uniform(key(self.seed, "group"), ids) < 0.5).astype(np.int64)

    def _each(self, roster: Roster, budget: float | None) -> float:
        """b: what there is for each client."""
        return spendable(self.terms.in_force(budget)) / len(roster)

    def _places(self, roster: Roster, budget: float | None) -> IntArray:
        """The prices that are tried, as places in the grid: from the one that buys size_high of all."""
        first = int(np.floor(STEPS * (np.log2(self._each(roster, budget) / self.terms.size_high) - LOWEST)))
        span = np.arange(self.octaves * STEPS + 1)
        return np.clip(first + span, 0, self.asked.shape[1] - 1).astype(np.int64)

    def _schedule(self, roster: Roster, round: int, budget: float | None) -> tuple[BoolArray, IntArray]:
        """Who gets an exploring offer in that round, and at which place of the grid: no answer plays a part."""
        places = self._places(roster, budget)
        share = max(min(1.0, max(1.0, ANSWERS / len(roster)) / round), self.explore)
        explores = self.learn & (uniform(key(self.seed, "explore", round), roster.ids) < share)
        drawn = (places.size * uniform(key(self.seed, "place", round), roster.ids)).astype(np.int64)
        return explores, places[drawn]

    def _limit(self, roster: Roster, price: FloatArray, budget: float | None) -> FloatArray:
        """The most that b buys at these prices; nothing above size_low where it does not buy that."""
        return np.clip(self._each(roster, budget) / price, self.terms.size_low, self.terms.size_high)

    def _best(self, roster: Roster, places: IntArray, teacher: int, budget: float | None) -> int:
        """The place whose price brings the most accuracy, if this group answers as the teaching one does."""
        limit = self._limit(roster, _price(places), budget)
        low, A = self.terms.size_low, self.terms.accuracy
        iid = np.quantile(roster.iid, (0.1, 0.3, 0.5, 0.7, 0.9))
        gain = (A(limit[:, None], iid) - A(np.full((1, 1), low), iid)).mean(axis=1)
        asked, given = self.asked[teacher, places], self.given[teacher, places]
        return int(places[np.argmax(_share(asked, given) * gain)])


def _price(place: IntArray) -> FloatArray:
    return np.exp2(LOWEST + place / STEPS)


def _share(asked: FloatArray, given: FloatArray) -> FloatArray:
    """F: what is expected to be delivered at each price of the span.

    The clients' lowest prices are taken to be spread evenly between two ends. Every pair of ends on the grid is as
    likely before the first answer. F is the mean over all pairs, weighted by how well they tell the answers.
    """
    F, yes, no = _shapes(asked.size)
    likely = yes @ given + no @ (asked - given)
    weight = np.exp(likely - likely.max())
    return np.asarray(weight @ F / weight.sum())


@cache
def _shapes(places: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(pairs of ends, places): F of each pair, and the logarithms of the chances that an offer is taken and refused.

    Ends lie up to an octave outside of the span.
    """
    ends = np.arange(-STEPS, places + STEPS)
    low, high = (side.ravel() for side in np.meshgrid(ends, ends))
    low, high = low[low < high, None], high[low < high, None]
    price, low, high = (np.exp2(place / STEPS) for place in (np.arange(places), low, high))
    F = np.clip((price - low) / (high - low), 0.0, 1.0)
    chance = np.clip(F, ERROR, 1 - ERROR)
    return F, np.log(chance), np.log(1 - chance)
