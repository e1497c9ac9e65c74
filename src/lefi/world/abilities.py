"""What a fleet may be able to do beside answering offers. Each ability is a protocol; who asks for one names it.

A wrapper around a fleet (see `lefi.world.behaviours`) hands most questions on to the fleet inside: `able` looks there.
Misreporting and remembering are what a wrapper may add by itself, so there `has` tells.
"""

from functools import cache
from typing import Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.offers import AuctionCall, VoteOffer
from lefi.world.client import Costed
from lefi.world.fleet import Fleet

__all__ = [
    "Bidding",
    "Bounded",
    "Costed",
    "Divisible",
    "Misreporting",
    "Predicting",
    "Remembering",
    "Stating",
    "Voting",
    "able",
    "has",
]

A = TypeVar("A")


@runtime_checkable
class Wrapper(Protocol):
    """A fleet around a fleet."""

    fleet: Fleet


@runtime_checkable
class Bounded(Protocol):
    """States the bounds of its job, which the market's terms must equal.

    >>> from lefi.world.abilities import Bounded, able
    >>> able(lefi.scenario("paper").fleet, Bounded)
    True
    """

    @property
    def deadline(self) -> float: ...

    @property
    def size_low(self) -> float: ...

    @property
    def size_high(self) -> float: ...


@runtime_checkable
class Bidding(Protocol):
    """Its clients bid in auctions.

    >>> from lefi.world.abilities import Bidding, able
    >>> able(lefi.scenario("noisy").fleet, Bidding)
    True
    """

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray: ...


@runtime_checkable
class Stating(Protocol):
    """Its clients say in an auction how much they can deliver.

    >>> from lefi.world.abilities import Stating, able
    >>> able(lefi.scenario("paper").fleet, Stating)
    True
    """

    def capacity(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray: ...


@runtime_checkable
class Voting(Protocol):
    """Its clients judge each other's deliveries, and may lie. (clients, jury): what each juror of a client says.

    >>> from lefi.world.abilities import Voting, has
    >>> class Honest:
    ...     def vote(self, offer, sizes, rng):
    ...         return offer.honest(np.arange(sizes.size), sizes)
    ...
    >>> has(Honest(), Voting)
    True
    """

    def vote(self, offer: VoteOffer, sizes: FloatArray, rng: np.random.Generator | None) -> FloatArray: ...


@runtime_checkable
class Predicting(Protocol):
    """Its clients answer questions with what they trained. (clients, questions)

    >>> from lefi.world.abilities import Predicting, has
    >>> class Exact:
    ...     def predict(self, questions, claims, rng):
    ...         return np.zeros((claims.size, questions))
    ...
    >>> has(Exact(), Predicting)
    True
    """

    def predict(self, questions: int, claims: FloatArray, rng: np.random.Generator | None) -> FloatArray: ...


@runtime_checkable
class Misreporting(Protocol):
    """Claims and truth may differ.

    >>> from lefi.world.abilities import Misreporting, has
    >>> has(lefi.scenario("paper", misreport=2.0).fleet, Misreporting)
    True
    """

    def truth(self, claims: FloatArray) -> FloatArray: ...


@runtime_checkable
class Remembering(Protocol):
    """Answers lean on what was delivered before.

    >>> from lefi.world.abilities import Remembering, has
    >>> has(lefi.scenario("sticky").fleet, Remembering)
    True
    """

    def remember(self, sizes: FloatArray) -> Fleet: ...


@runtime_checkable
class Divisible(Fleet, Protocol):
    """Can be cut to some of its clients, in any order.

    >>> from lefi.world.abilities import Divisible, able
    >>> fleet = lefi.scenario("paper").fleet
    >>> able(fleet, Divisible), fleet.take(np.array([2, 0])).roster.ids
    (True, array([2, 0]))
    """

    def take(self, positions: IntArray) -> Fleet: ...


def able(fleet: object, ability: type[A]) -> TypeGuard[A]:
    """Whether the fleet has this ability: for a wrapper, whether the fleet inside has it too.

    >>> from lefi.world.abilities import Bidding, able
    >>> able(lefi.scenario("paper").fleet, Bidding)
    True
    """
    inside = fleet
    while has(inside, ability) and has(inside, Wrapper):
        inside = inside.fleet
    return has(inside, ability)


def has(thing: object, ability: type[A]) -> TypeGuard[A]:
    """`isinstance` of a protocol, which took a fifth of a round of ten clients: Python 3.11 looks its members up.

    >>> from lefi.world.abilities import Remembering, has
    >>> has(lefi.scenario("paper").fleet, Remembering)
    False
    """
    protocol: type = ability
    return all(hasattr(thing, name) for name in members(protocol))


@cache
def members(ability: type) -> frozenset[str]:
    """What a protocol asks for."""
    stated = (name for part in ability.__mro__[:-1] for name in (*vars(part), *vars(part).get("__annotations__", ())))
    return frozenset(name for name in stated if not name.startswith("_"))
