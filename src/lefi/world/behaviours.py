"""Behaviours: wrappers that change how the clients of a fleet answer."""

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import Offer, Roster
from lefi.world.fleet import Fleet


class CountingFleet(Fleet, Protocol):
    """A fleet that can say what money an answer leaves each client."""

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray: ...

    def advance(self, rng: np.random.Generator) -> "CountingFleet": ...


@dataclass(frozen=True, eq=False)
class OptOut:
    """Reading `opt-out`: a client whose best utility is negative answers 0."""

    fleet: CountingFleet

    @property
    def roster(self) -> Roster:
        return self.fleet.roster

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, rng)
        return np.where(self.fleet.utility(offer, sizes) < 0, 0.0, sizes)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        """Who answers 0 stays at home and pays nothing, not even the fixed cost."""
        return np.where(sizes == 0, 0.0, self.fleet.utility(offer, sizes))

    def advance(self, rng: np.random.Generator) -> Self:
        return replace(self, fleet=self.fleet.advance(rng))
