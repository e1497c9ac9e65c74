"""Behaviours of time: prices that drift or jump, clients that come and go."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lefi.arrays import IntArray, number, whole
from lefi.draws import normal, uniform
from lefi.world.behaviours.behaviour import Behaviour, draw_key
from lefi.world.fleet import RationalFleet


@dataclass(frozen=True, eq=False)
class Drift(Behaviour):
    """The log of each price does a random walk with standard deviation r a round.

    >>> from lefi.world.behaviours import Drift
    >>> fleet = Drift(lefi.scenario("paper", clients=2).fleet, r=0.02)
    >>> later = fleet.advance(np.random.default_rng(0))
    >>> (later.means.price / fleet.means.price).round(3)
    array([0.968, 1.019])
    """

    r: float

    def __post_init__(self) -> None:
        number("drift", self.r, low=0)

    def advance(self, rng: np.random.Generator) -> Self:
        moved = super().advance(rng)
        return moved.reprice(np.exp(self.r * normal(draw_key(rng), moved.roster.ids)))


@dataclass(frozen=True, eq=False)
class Jump(Behaviour):
    """In one round every price changes by a factor of its own, drawn once: exp(r) or exp(-r) with equal chance.

    >>> from lefi.world.behaviours import Jump
    >>> fleet = Jump(lefi.scenario("paper", clients=2).fleet, r=0.5, round=2)
    >>> later = fleet.advance(np.random.default_rng(0))
    >>> (later.means.price / fleet.means.price).round(3)
    array([1.649, 0.607])
    """

    r: float
    round: int = 15
    played: int = 0  # rounds so far

    def __post_init__(self) -> None:
        number("jump", self.r, low=0)
        whole("round", self.round, low=2)

    def advance(self, rng: np.random.Generator) -> Self:
        moved = replace(super().advance(rng), played=self.played + 1)
        if moved.played != self.round - 1:
            return moved
        up = uniform(draw_key(rng), moved.roster.ids) < 0.5
        return moved.reprice(np.exp(np.where(up, self.r, -self.r)))


@dataclass(frozen=True, eq=False)
class Churn(Behaviour):
    """A share r of the clients leaves each round; as many newcomers with new ids arrive, so the number stays.

    `draw` makes the newcomers of given ids; ids are never used again. One client always stays: where all would leave,
    it is the one that was closest to staying.

    >>> market = lefi.scenario("churning", clients=5, churn=0.5)
    >>> market.fleet.advance(np.random.default_rng(3)).roster.ids
    array([0, 3, 4, 5, 6])
    """

    r: float
    draw: Callable[[IntArray], RationalFleet]
    next_id: int

    def __post_init__(self) -> None:
        number("churn", self.r, low=0, high=1)

    def advance(self, rng: np.random.Generator) -> Self:
        moved = super().advance(rng)
        luck = uniform(draw_key(rng), moved.roster.ids)
        leaves = (luck < self.r) & (luck < luck.max())
        count = int(leaves.sum())
        if count == 0:
            return moved
        ids = np.arange(self.next_id, self.next_id + count, dtype=np.int64)
        changed = moved.exchange(np.flatnonzero(~leaves), self.draw(ids))
        return replace(changed, next_id=self.next_id + count)
