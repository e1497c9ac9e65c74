"""Fleets: clients that answer an offer, as arrays over clients."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self, runtime_checkable

import numpy as np

from lefi.arrays import FloatArray, IntArray, number, vector
from lefi.messages import Offer, Roster
from lefi.models import LinearCost
from lefi.offers import AuctionCall
from lefi.world.client import Means, best_bid, best_size, utility


@runtime_checkable
class Fleet(Protocol):
    """Clients behind a market. `rng` None asks for the noise-free answer.

    >>> fleet: lefi.Fleet = lefi.scenario("paper", clients=3).fleet
    >>> fleet.roster
    Roster(3 clients)
    """

    @property
    def roster(self) -> Roster: ...

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray: ...

    def advance(self, rng: np.random.Generator) -> "Fleet": ...


@dataclass(frozen=True, eq=False)
class RationalFleet:
    """Clients that solve P0 exactly (reading `paper`: the fixed cost q is sunk, nobody opts out).

    >>> roster = lefi.Roster(np.arange(2), np.ones(2), np.full(2, 0.75))
    >>> fleet = lefi.RationalFleet(roster, price=np.full(2, 6e-4), speed=np.array([28.9, 5.0]), cost=lefi.cost("paper"))
    >>> fleet.respond(lefi.CurveOffer([1.0, 1.0], roster.rate, [10.0, 10.0]), None).round(2)
    array([3.68, 3.57])
    """

    roster: Roster
    price: FloatArray
    speed: FloatArray
    cost: LinearCost
    deadline: float = 60.0
    size_low: float = 0.0
    size_high: float = 10.0

    def __post_init__(self) -> None:
        clients = len(self.roster)
        tiny = np.nextafter(0, 1)
        object.__setattr__(self, "price", vector("price", self.price, clients=clients, low=tiny))
        object.__setattr__(self, "speed", vector("speed", self.speed, clients=clients, low=tiny))
        number("deadline", self.deadline, above=0)
        number("size_low", self.size_low, low=0)
        number("size_high", self.size_high, above=self.size_low)

    def __repr__(self) -> str:
        return f"RationalFleet({len(self.roster)} clients)"

    @cached_property
    def means(self) -> Means:
        return Means(self.price, self.speed, self.cost, self.deadline, self.size_low, self.size_high)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return best_size(offer, self.means)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        """The truth where no other bid earns more, as in an auction; else the best answer to the others."""
        return best_bid(self, call)

    def capacity(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        """The truth: saying less sells less, and no price hangs on it."""
        return np.nan_to_num(self.means.cap)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        """Money each client keeps at these sizes."""
        return utility(offer, self.means, sizes)

    def advance(self, rng: np.random.Generator) -> Self:
        return self

    def take(self, positions: IntArray) -> Self:
        """The clients at these positions, in this order."""
        return replace(
            self, roster=self.roster.take(positions), price=self.price[positions], speed=self.speed[positions]
        )

    def reprice(self, factor: FloatArray) -> Self:
        """The fleet with its prices multiplied."""
        return replace(self, price=self.price * factor)

    def exchange(self, stay: IntArray, newcomers: "RationalFleet") -> Self:
        """The clients at these positions, then the newcomers."""
        old, new = self.roster.take(stay), newcomers.roster
        joined = {name: np.concatenate([getattr(old, name), getattr(new, name)]) for name in ("ids", "iid", "rate")}
        return replace(
            self,
            roster=Roster(**joined),
            price=np.concatenate([self.price[stay], newcomers.price]),
            speed=np.concatenate([self.speed[stay], newcomers.speed]),
        )
