"""Clients that claim work which they do not do, and what watching them changes."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lefi.arrays import BoolArray, FloatArray, number, whole
from lefi.draws import key as address
from lefi.draws import uniform
from lefi.messages import Offer
from lefi.world.behaviours.behaviour import Behaviour


@dataclass(frozen=True, eq=False)
class Cheat(Behaviour):
    """A `share` of the clients claims what honest ones would, and does only the part `work` of it.

    0 stands for no work: an idle claim, a replayed update, a copy of another. They cheat from round `begins` on, in
    `duty` of the rounds. `caught` is the chance that such a round has them accused, from their second round on: then
    they get no more offers, so they neither train nor are paid.

    >>> from lefi.world.behaviours import Cheat
    >>> fleet = Cheat(lefi.scenario("paper", clients=5).fleet, share=0.4, work=0.1, key=3)
    >>> fleet.truth(np.full(5, 2.0))
    array([2. , 2. , 2. , 0.2, 2. ])
    """

    share: float = 0.4
    work: float = 0.0
    begins: int = 1
    duty: float = 1.0
    caught: float = 0.0
    key: int = 0
    played: int = 0  # rounds so far

    def __post_init__(self) -> None:
        for name in ("share", "work", "duty", "caught"):
            number(name, getattr(self, name), low=0, high=1)
        whole("begins", self.begins, low=1)

    @property
    def cheats(self) -> BoolArray:
        """Who cheats at all."""
        return np.asarray(uniform(address(self.key, "cheat"), self.roster.ids) < self.share)

    @property
    def accused(self) -> BoolArray:
        """Who was accused in a round before this one."""
        rounds = np.arange(1, self.played + 1)[:, None]
        luck = uniform(address(self.key, "caught"), self.roster.ids, self.played) if self.played else np.ones((0, 1))
        found = (luck < self.caught) & self._cheating(self.played) & (rounds >= 2)
        return np.asarray(found.any(axis=0) & self.cheats)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.where(self.accused, 0.0, self.fleet.respond(offer, rng))

    def truth(self, claims: FloatArray) -> FloatArray:
        now = self._cheating(self.played + 1)[-1] & self.cheats
        return super().truth(np.where(now, self.work * claims, claims))

    def advance(self, rng: np.random.Generator) -> Self:
        return replace(super().advance(rng), played=self.played + 1)

    def _cheating(self, rounds: int) -> BoolArray:
        """(rounds, clients): the rounds in which cheats do cheat."""
        if rounds == 0:
            return np.zeros((0, len(self.roster)), bool)
        luck = uniform(address(self.key, "duty"), self.roster.ids, rounds)
        return np.asarray((luck < self.duty) & (np.arange(1, rounds + 1)[:, None] >= self.begins))
