"""Clients of several kinds in one fleet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.draws import uniform
from lefi.messages import Offer
from lefi.offers import AuctionCall
from lefi.world.behaviours.behaviour import Behaviour, draw_key
from lefi.world.client import unit_cost


@dataclass(frozen=True, eq=False)
class Blend(Behaviour):
    """Each client belongs to one of several kinds with equal chance, drawn from its id.

    `kinds` are behaviours around the fleet inside, made by functions so that a change of that fleet reaches them all.

    >>> from lefi.world.behaviours import Blend, Noisy, OptOut
    >>> fleet = lefi.scenario("paper", clients=4).fleet
    >>> Blend(fleet, kinds=(OptOut, lambda inside: Noisy(inside, 0.1)), key=1).kind
    array([1, 0, 0, 1])
    """

    kinds: tuple[Callable[[Any], Any], ...]
    key: int

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        key = None if rng is None else draw_key(rng)
        fleets = [kind(self.fleet) for kind in self.kinds]
        answers = [f.respond(offer, None if key is None else np.random.default_rng(key)) for f in fleets]
        return self._own(answers)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        return unit_cost(self, call)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        return self._own([kind(self.fleet).utility(offer, sizes) for kind in self.kinds])

    @property
    def kind(self) -> IntArray:
        """Which kind each client of the roster is."""
        return (len(self.kinds) * uniform(self.key, self.roster.ids)).astype(np.int64)

    def _own(self, rows: list[FloatArray]) -> FloatArray:
        return np.stack(rows)[self.kind, np.arange(len(self.roster))]
