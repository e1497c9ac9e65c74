"""Behaviours that bend the answer of the fleet inside: opting out, noise, inertia, silence, false claims."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from lefi.arrays import FloatArray, IntArray, number
from lefi.draws import normal, uniform
from lefi.messages import Offer
from lefi.offers import AuctionCall
from lefi.world.abilities import Bounded, able
from lefi.world.behaviours.behaviour import Behaviour, draw_key, private_cap
from lefi.world.client import best_bid


@dataclass(frozen=True, eq=False)
class OptOut(Behaviour):
    """Reading `opt-out`: a client whose best utility is negative answers 0.

    >>> from lefi.world.behaviours import OptOut
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> OptOut(fleet).respond(lefi.PriceOffer([0.0, 1.0], [5.0, 5.0]), None).round(1)
    array([0., 5.])
    """

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, rng)
        return np.where(self.fleet.utility(offer, sizes) < 0, 0.0, sizes)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        return best_bid(self, call)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        """Who answers 0 stays at home and pays nothing, not even the fixed cost."""
        return np.where(sizes == 0, 0.0, self.fleet.utility(offer, sizes))


@dataclass(frozen=True, eq=False)
class Noisy(Behaviour):
    """size (1 + r normal), pushed into what the client can deliver and the offer pays for.

    >>> from lefi.world.behaviours import Noisy
    >>> fleet = Noisy(lefi.scenario("paper", clients=3).fleet, r=0.1)
    >>> offer = lefi.PriceOffer([1.0] * 3, [5.0] * 3)
    >>> fleet.respond(offer, np.random.default_rng(0)).round(2)
    array([4.19, 5.  , 5.  ])
    """

    r: float

    def __post_init__(self) -> None:
        number("noise", self.r, low=0)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, rng)
        if rng is None:
            return sizes
        shaken = sizes * (1 + self.r * normal(draw_key(rng), self.roster.ids))
        return np.clip(shaken, 0, np.minimum(offer.limit, private_cap(self.fleet)))


@dataclass(frozen=True, eq=False)
class Dropout(Behaviour):
    """A share r of the clients does not answer (NaN).

    >>> from lefi.world.behaviours import Dropout
    >>> fleet = Dropout(lefi.scenario("paper", clients=4).fleet, r=0.5)
    >>> fleet.respond(lefi.PriceOffer([1.0] * 4, [5.0] * 4), np.random.default_rng(0))
    array([nan,  5.,  5., nan])
    """

    r: float

    def __post_init__(self) -> None:
        number("dropout", self.r, low=0, high=1)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, rng)
        if rng is None:
            return sizes
        return np.where(uniform(draw_key(rng), self.roster.ids) < self.r, np.nan, sizes)


@dataclass(frozen=True, eq=False)
class Misreport(Behaviour):
    """Claims f times what it trains on; a claim that is cut to the limit lowers the training with it.

    >>> from lefi.world.behaviours import Misreport
    >>> fleet = Misreport(lefi.scenario("paper", clients=2).fleet, f=2.0)
    >>> fleet.truth(np.array([4.0, 1.0]))
    array([2. , 0.5])
    """

    f: float

    def __post_init__(self) -> None:
        number("misreport", self.f, above=0)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        most = np.minimum(offer.limit, self.fleet.size_high if able(self.fleet, Bounded) else np.inf)
        return np.minimum(self.f * self.fleet.respond(offer, rng), most)

    def truth(self, claims: FloatArray) -> FloatArray:
        return super().truth(claims / self.f)

    def remember(self, sizes: FloatArray) -> Self:
        return super().remember(sizes / self.f)


@dataclass(frozen=True, eq=False)
class Sticky(Behaviour):
    """(1 - i) best + i last, where last is what the client delivered before; its best in its first round.

    Responding changes nothing: the memory is a new fleet, made by `remember` between two rounds.

    >>> from lefi.world.behaviours import Sticky
    >>> fleet = Sticky(lefi.scenario("paper", clients=2).fleet, i=0.5)
    >>> offer = lefi.PriceOffer([1.0, 1.0], [5.0, 5.0])
    >>> fleet.remember(np.array([1.0, 0.0])).respond(offer, None).round(2)
    array([3. , 2.5])
    """

    i: float
    ids: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    last: FloatArray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        number("sticky", self.i, low=0, high=1)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        best = self.fleet.respond(offer, rng)
        last = self._last()
        blend = np.where(np.isnan(last), best, (1 - self.i) * best + self.i * last)
        return np.minimum(blend, offer.limit)

    def remember(self, sizes: FloatArray) -> Self:
        inner = super().remember(sizes)
        delivered = np.where(np.isnan(sizes), self._last(), sizes)
        order = np.argsort(self.roster.ids)
        return replace(inner, ids=self.roster.ids[order], last=delivered[order])

    def _last(self) -> FloatArray:
        """What each client of the roster delivered last; NaN where it has not answered yet."""
        if self.ids.size == 0:
            return np.full(len(self.roster), np.nan)
        at = np.minimum(np.searchsorted(self.ids, self.roster.ids), self.ids.size - 1)
        return np.where(self.ids[at] == self.roster.ids, self.last[at], np.nan)
