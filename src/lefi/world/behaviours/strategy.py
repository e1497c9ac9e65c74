"""Behaviours of clients that play back: they pretend to cost more than they do."""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, IntArray, number
from lefi.messages import Offer
from lefi.offers import AuctionCall
from lefi.world.behaviours.behaviour import Behaviour


@dataclass(frozen=True, eq=False)
class Pretender(Behaviour):
    """A behaviour of all clients, or of those with these `ids` only, that adds a share r to the cost."""

    r: float
    ids: IntArray | None = None

    def __post_init__(self) -> None:
        number(type(self).__name__.lower(), self.r, low=0)

    @property
    def factor(self) -> FloatArray:
        here = self.roster.ids
        mine = np.ones(here.size, dtype=bool) if self.ids is None else np.isin(here, self.ids)
        return np.where(mine, 1 + self.r, 1.0)


@dataclass(frozen=True, eq=False)
class Holdout(Pretender):
    """Answers every offer and every call as if its price were 1 + r times what it is, to teach the server that.

    >>> from lefi.world.behaviours import Holdout
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> offer = lefi.CurveOffer([1.0, 1.0], fleet.roster.rate, [10.0, 10.0])
    >>> fleet.respond(offer, None).round(2), Holdout(fleet, r=1.0).respond(offer, None).round(2)
    (array([10.  ,  9.03]), array([9.19, 8.1 ]))
    """

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return self.fleet.reprice(self.factor).respond(offer, rng)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        return self.fleet.reprice(self.factor).bid(call, rng)


@dataclass(frozen=True, eq=False)
class Overbid(Pretender):
    """Bids 1 + r times what it would, and delivers what it wins if that is worth its true cost.

    >>> from lefi.world.behaviours import Overbid
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> call = lefi.AuctionCall(1.0, [1.0, 1.0], [5.0, 5.0], fleet.roster.ids)
    >>> (Overbid(fleet, r=0.5).bid(call, None) / fleet.bid(call, None)).round(2)
    array([1.5, 1.5])
    """

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        return self.factor * self.fleet.bid(call, rng)
