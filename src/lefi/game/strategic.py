"""A fleet in which some clients play a policy; the others answer honestly."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.game.policies import Policy
from lefi.game.view import View
from lefi.mechanisms.table import LastValue
from lefi.messages import Offer, Roster
from lefi.offers import AuctionCall
from lefi.world.abilities import Stating, able
from lefi.world.behaviours import Behaviour


class Side(NamedTuple):
    """Who plays what. `ids` None: everybody.

    >>> from lefi.game import Holdout, Side
    >>> Side(Holdout(times=2.0), ids=np.array([0, 3])).ids
    array([0, 3])
    """

    policy: Policy
    ids: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Strategic(Behaviour):
    """Where a client is on several sides, the last one counts. `claims` is the iid that some state, by id.

    >>> from lefi.game import Holdout, Side, Strategic
    >>> market = lefi.scenario("paper", clients=2)
    >>> fleet = Strategic(market.fleet, sides=[Side(Holdout(times=2.0), np.array([0]))])
    >>> offer = lefi.CurveOffer([1.0, 1.0], fleet.roster.rate, [10.0, 10.0])
    >>> (fleet.respond(offer, None) < market.fleet.respond(offer, None)).tolist()
    [True, False]
    """

    sides: Sequence[Side] = ()
    claims: Mapping[int, float] = field(default_factory=dict)
    round: int = 1
    notes: tuple[LastValue, ...] = field(default=())

    @property
    def roster(self) -> Roster:
        """Who is here, as the server sees it."""
        told: Roster = self.fleet.roster
        if not self.claims:
            return told
        said = [self.claims.get(id, iid) for id, iid in zip(told.ids.tolist(), told.iid.tolist(), strict=True)]
        return Roster(told.ids, np.array(said), told.rate)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, copy.deepcopy(rng))
        for side, view in self._views(rng):
            sizes = np.where(self._mine(side), side.policy.respond(view, offer), sizes)
        return np.minimum(sizes, offer.limit)

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        bids = self.fleet.bid(call, copy.deepcopy(rng))
        for side, view in self._views(rng):
            bids = np.where(self._mine(side), side.policy.bid(view, call), bids)
        return np.asarray(bids, dtype=np.float64)

    def capacity(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        stated = self.fleet.capacity(call, copy.deepcopy(rng)) if able(self.fleet, Stating) else call.limit
        for side, view in self._views(rng):
            stated = np.where(self._mine(side), side.policy.capacity(view, call), stated)
        return np.asarray(stated, dtype=np.float64)

    def after(self, offer: Offer) -> Self:
        """The fleet of the next round, with what the policies noted of this offer."""
        notes = []
        for (side, view), book in zip(self._views(None), self._books(), strict=True):
            if type(side.policy).note is not Policy.note:
                book = _copied(book)
                book.write(self.roster.ids, side.policy.note(view, offer))
            notes.append(book)
        return replace(self, round=self.round + 1, notes=tuple(notes))

    def _views(self, rng: np.random.Generator | None) -> list[tuple[Side, View]]:
        ids = self.roster.ids
        return [
            (side, View(self.fleet, self.round, book.read(ids, default=0.0), copy.deepcopy(rng)))
            for side, book in zip(self.sides, self._books(), strict=True)
        ]

    def _books(self) -> tuple[LastValue, ...]:
        return self.notes or tuple(LastValue() for _ in self.sides)

    def _mine(self, side: Side) -> BoolArray:
        ids = self.roster.ids
        return np.ones(ids.size, dtype=bool) if side.ids is None else np.isin(ids, side.ids)


def _copied(book: LastValue) -> LastValue:
    """A book of its own: fleets of earlier rounds keep theirs."""
    result = LastValue()
    result.ids, result.values = book.ids, book.values
    return result
