"""What all behaviours share: a fleet inside, and everything they do not change passed through to it."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from lefi.arrays import FloatArray, Floats, IntArray
from lefi.messages import Offer, Roster
from lefi.offers import AuctionCall
from lefi.world.abilities import Costed, Misreporting, Remembering, able, has
from lefi.world.client import Means
from lefi.world.fleet import Fleet, RationalFleet


class SelfishFleet(Fleet, Protocol):
    """A fleet whose private means are at hand, so that other behaviours can be built on it.

    >>> from lefi.world.behaviours import SelfishFleet
    >>> def kept(fleet: SelfishFleet, offer: lefi.Offer) -> float:
    ...     return float(fleet.utility(offer, fleet.respond(offer, None)).sum())
    ...
    >>> kept(lefi.scenario("paper", clients=2).fleet, lefi.PriceOffer([1.0, 1.0], [5.0, 5.0])) > 0
    True
    """

    @property
    def means(self) -> Means: ...

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray: ...

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray: ...

    def reprice(self, factor: FloatArray) -> "SelfishFleet": ...

    def exchange(self, stay: IntArray, newcomers: RationalFleet) -> "SelfishFleet": ...

    def advance(self, rng: np.random.Generator) -> "SelfishFleet": ...


@dataclass(frozen=True, eq=False)
class Behaviour:
    """A fleet around a fleet. Holds nothing per client: what belongs to a client is a function of its id.

    >>> class Lazy(lefi.Behaviour):
    ...     def respond(self, offer, rng):
    ...         return self.fleet.respond(offer, rng) / 2
    ...
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> Lazy(fleet).respond(lefi.PriceOffer([1.0, 1.0], [4.0, 4.0]), None).round(2)
    array([2., 2.])
    """

    fleet: Any  # a SelfishFleet; Noisy, Sticky, Dropout and Misreport work around any Fleet

    @property
    def roster(self) -> Roster:
        return self.fleet.roster

    @property
    def means(self) -> Means:
        return self.fleet.means

    @property
    def deadline(self) -> float:
        return self.fleet.deadline

    @property
    def size_low(self) -> float:
        return self.fleet.size_low

    @property
    def size_high(self) -> float:
        return self.fleet.size_high

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return self.fleet.respond(offer, rng)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        """What each client asks for a thousand samples."""
        return self.fleet.bid(call, rng)

    def capacity(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        """What each client says it can deliver."""
        return self.fleet.capacity(call, rng)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        """Money each client keeps at these sizes."""
        return self.fleet.utility(offer, sizes)

    def truth(self, claims: FloatArray) -> FloatArray:
        """What the clients really trained on when they claim these sizes."""
        return self.fleet.truth(claims) if has(self.fleet, Misreporting) else claims

    def advance(self, rng: np.random.Generator) -> Self:
        return self._around(self.fleet.advance(rng))

    def remember(self, sizes: FloatArray) -> Self:
        """The fleet after it has delivered these sizes; matters to clients that stick to what they did."""
        return self._around(self.fleet.remember(sizes)) if has(self.fleet, Remembering) else self

    def take(self, positions: IntArray) -> Self:
        """The clients at these positions, in this order."""
        return self._around(self.fleet.take(positions))

    def reprice(self, factor: FloatArray) -> Self:
        """The fleet with its prices multiplied."""
        return self._around(self.fleet.reprice(factor))

    def exchange(self, stay: IntArray, newcomers: RationalFleet) -> Self:
        """The clients at these positions, then the newcomers."""
        return self._around(self.fleet.exchange(stay, newcomers))

    def _around(self, fleet: Any) -> Self:
        return self if fleet is self.fleet else replace(self, fleet=fleet)


def private_cap(fleet: Fleet) -> Floats:
    """The most that each client can deliver, where the fleet tells; 0 where it cannot take part at all."""
    return np.nan_to_num(fleet.means.cap) if able(fleet, Costed) else np.inf


def draw_key(rng: np.random.Generator) -> int:
    """The address of per-client draws: the order of the clients plays no part in them."""
    return int(rng.integers(2**63))
