"""Lies about oneself: made-up identities, coming back under a new name, and a stated iid. And what helps against two.

sybils   one client splits its machine between several names
reentry  one client comes back under a new name every few rounds
iid      one client states data that are more, or less, alike to the fleet's than its own
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lefi.arrays import IntArray, number, whole
from lefi.errors import InputError
from lefi.game.match import Maker, Match, maker, match
from lefi.game.strategic import Strategic
from lefi.mechanisms import Mechanism
from lefi.mechanisms.table import LastValue
from lefi.messages import Offer, Receipt, Roster, Terms
from lefi.offers import limited
from lefi.world.behaviours import Behaviour, SelfishFleet
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market

NEW = 2**40  # ids of made-up names: far above those of clients


@dataclass(frozen=True)
class Lie:
    """What a lie brings the client and costs the server, beside the same game without it. Means over rounds.

    >>> from lefi.game import reentry
    >>> lie = reentry("uniform", lefi.scenario("paper", clients=3), client=0, rounds=6, every=2)
    >>> lie.kind, round(lie.adds, 3)
    ('reentry(2)', 0.0)
    """

    kind: str
    honest: float
    kept: float
    gain_honest: float
    gain: float

    @property
    def adds(self) -> float:
        """USD a round."""
        return self.kept - self.honest

    @property
    def lost(self) -> float:
        """Share of the server's gain."""
        return 1 - self.gain / self.gain_honest if self.gain_honest else 0.0


def sybils(name: str | Maker, market: Market, client: int, rounds: int = 100, seed: int = 0, *, names: int = 3) -> Lie:
    """One client appears as several, each with its share of the machine.

    >>> from lefi.game import sybils
    >>> lie = sybils("uniform", lefi.scenario("paper", clients=3), client=0, rounds=5, names=2)
    >>> lie.adds > 0
    True
    """
    whole("names", names, low=2)
    ids = NEW + np.arange(names, dtype=np.int64)
    at = _position(market, client)
    fleet = _exchanged(market.fleet, at, copies(market.fleet, at, ids, share=1 / names))  # type: ignore[arg-type]
    lied = match(name, replace(market, fleet=fleet), rounds, seed)
    more = len(fleet.roster) / len(market.fleet.roster)  # the mean over names is not that over clients
    lied = replace(lied, gain=more * lied.gain)
    return _lie(f"sybils({names})", match(name, market, rounds, seed), lied, client, ids)


def reentry(name: str | Maker, market: Market, client: int, rounds: int = 100, seed: int = 0, *, every: int = 5) -> Lie:
    """One client has a new name every so many rounds.

    >>> from lefi.game import reentry
    >>> lie = reentry("uniform", lefi.scenario("paper", clients=3), client=0, rounds=6, every=2)
    >>> abs(lie.adds) < 0.01
    True
    """
    whole("every", every, low=1)
    _position(market, client)
    lied = match(name, replace(market, fleet=Renamed(market.fleet, client, every)), rounds, seed)
    ids = np.append(NEW + np.arange(rounds, dtype=np.int64), client)
    return _lie(f"reentry({every})", match(name, market, rounds, seed), lied, client, ids)


def stated_iid(
    name: str | Maker, market: Market, client: int, rounds: int = 100, seed: int = 0, *, iid: float = 0.0
) -> Lie:
    """One client states this iid, whatever its data are.

    >>> from lefi.game import stated_iid
    >>> lie = stated_iid("lefi", lefi.scenario("mixed", clients=3), client=0, rounds=5, iid=0.0)
    >>> lie.kind
    'iid(0)'
    """
    number("iid", iid, low=0, high=1)
    _position(market, client)
    lied = match(name, replace(market, fleet=Strategic(market.fleet, claims={client: iid})), rounds, seed)
    return _lie(f"iid({iid:g})", match(name, market, rounds, seed), lied, client, np.array([client]))


def _lie(kind: str, honest: Match, lied: Match, client: int, names: IntArray) -> Lie:
    return Lie(kind, honest.kept_by(np.array([client])), lied.kept_by(names), honest.gain, lied.gain)


def _position(market: Market, client: int) -> int:
    at = np.flatnonzero(market.fleet.roster.ids == client)
    if at.size == 0 or len(market.fleet.roster) < 2:
        raise InputError("client", client, "the id of one of at least two clients")
    return int(at[0])


def copies(fleet: SelfishFleet, at: int, ids: IntArray, share: float = 1.0) -> RationalFleet:
    """The client at that position under other names, each with a share of its speed."""
    means, roster = fleet.means, fleet.roster
    return RationalFleet(
        roster=Roster(ids, np.full(ids.size, roster.iid[at]), np.full(ids.size, roster.rate[at])),
        price=np.full(ids.size, means.price[at]),
        speed=np.full(ids.size, share * means.speed[at]),
        cost=means.cost,
        deadline=means.deadline,
        size_low=means.size_low,
        size_high=means.size_high,
    )


def _exchanged(fleet: SelfishFleet, at: int, newcomers: RationalFleet) -> SelfishFleet:
    return fleet.exchange(np.delete(np.arange(len(fleet.roster)), at), newcomers)


@dataclass(frozen=True, eq=False)
class Renamed(Behaviour):
    """One client of the fleet takes a new name every so many rounds."""

    client: int
    every: int
    round: int = 0

    def advance(self, rng: np.random.Generator) -> Self:
        moved = replace(super().advance(rng), round=self.round + 1)
        at = np.flatnonzero(moved.roster.ids == self.client)
        if moved.round % self.every or at.size == 0:
            return moved
        name = NEW + moved.round // self.every - 1
        newcomer = copies(moved.fleet, int(at[0]), np.array([name], dtype=np.int64))
        return replace(moved, fleet=_exchanged(moved.fleet, int(at[0]), newcomer), client=name)


class Probation:
    """A mechanism around another: a client sells at most a share of size_high in its first rounds."""

    def __init__(self, inside: Mechanism, terms: Terms, rounds: int, share: float) -> None:
        self.inside, self.terms, self.rounds, self.share = inside, terms, rounds, share
        self.seen = LastValue()

    def ask(self, roster: Roster, budget: float | None = None) -> Offer:
        new = self.seen.read(roster.ids, default=0.0) < self.rounds
        low, high = self.terms.size_low, self.terms.size_high
        most = np.where(new, max(low, self.share * high), high)
        return limited(self.inside.ask(roster, budget), most)

    def tell(self, receipt: Receipt) -> None:
        ids = receipt.roster.ids
        self.seen.write(ids, self.seen.read(ids, default=0.0) + 1)
        self.inside.tell(receipt)


def on_probation(name: str | Maker, seed: int = 0, *, rounds: int = 10, share: float = 0.2) -> Maker:
    """What an operator can do against new names: newcomers sell little at first.

    >>> from lefi.game import on_probation, sybils
    >>> market = lefi.scenario("paper", clients=3)
    >>> careful = on_probation("uniform", rounds=10, share=0.2)
    >>> sybils(careful, market, client=0, rounds=5).adds < sybils("uniform", market, client=0, rounds=5).adds
    True
    """
    make_inside = maker(name, seed)
    return lambda terms: Probation(make_inside(terms), terms, rounds, share)
