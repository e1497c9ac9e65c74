"""One game: a mechanism against a fleet in which some play, and what server and clients have of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from lefi.arrays import FloatArray, IntArray, whole
from lefi.draws import generator
from lefi.errors import InputError
from lefi.game.strategic import Side, Strategic
from lefi.mechanisms import Mechanism, make
from lefi.mechanisms.mechanism import done
from lefi.mechanisms.table import LastValue
from lefi.messages import Terms
from lefi.offers import PriceOffer
from lefi.world.abilities import Costed, able
from lefi.world.client import expense
from lefi.world.market import Market

Maker = Callable[[Terms], Mechanism]


@dataclass(frozen=True, eq=False)
class Match:
    """Means over all rounds. `kept` is payment less cost of every client that was ever there, in USD.

    `gain` is the server's: accuracy over that of a round in which nobody is paid. `paid` is in USD.

    >>> from lefi.game import match
    >>> played = match("uniform", lefi.scenario("paper", clients=3), rounds=3)
    >>> played.ids, played.paid > 0
    (array([0, 1, 2]), True)
    """

    ids: IntArray
    kept: FloatArray
    gain: float
    paid: float

    def kept_by(self, ids: IntArray) -> float:
        """What these clients keep together."""
        return float(self.kept[np.isin(self.ids, ids)].sum())


def maker(name: str | Maker, seed: int) -> Maker:
    """What makes the mechanism anew for each game: a name, or a function of the terms."""
    return (lambda terms: make(name, terms, seed=seed)) if isinstance(name, str) else name


def match(name: str | Maker, market: Market, rounds: int, seed: int = 0, sides: Sequence[Side] = ()) -> Match:
    """Play the game. The clients' draws are those of `lefi.play` with this seed.

    >>> from lefi.game import Holdout, Side, match
    >>> market = lefi.scenario("paper", clients=3)
    >>> honest = match("uniform", market, rounds=10)
    >>> played = match("uniform", market, rounds=10, sides=[Side(Holdout(times=3.0))])
    >>> played.gain < honest.gain
    True
    """
    whole("rounds", rounds, low=1)
    if not able(market.fleet, Costed):
        raise InputError("fleet", type(market.fleet).__name__, "one whose costs can be looked up")
    mechanism, kept, gain, paid = maker(name, seed)(market.terms), LastValue(), 0.0, 0.0
    fleet = market.fleet if isinstance(market.fleet, Strategic) else Strategic(market.fleet)
    fleet = replace(fleet, sides=tuple(sides))
    for round in range(1, rounds + 1):
        if done(mechanism):  # rounds that are not played count as rounds without money
            break
        market = replace(market, fleet=fleet)
        receipt = market.settle(round, mechanism.ask(fleet.roster), generator(seed, "behaviour", round))
        mechanism.tell(receipt)
        trained = np.nan_to_num(market.truth(receipt.sizes))
        own, ids = receipt.payments - expense(fleet.fleet, trained), receipt.roster.ids
        kept.write(ids, kept.read(ids, default=0.0) + own)
        gain, paid = gain + server_gain(market, trained), paid + receipt.paid
        noted = replace(market, fleet=fleet.after(receipt.offer))
        fleet = cast(Strategic, noted.after(receipt).advance(generator(seed, "advance", round)).fleet)
    return Match(kept.ids, kept.values / rounds, gain / rounds, paid / rounds)


def server_gain(market: Market, trained: FloatArray) -> float:
    """Accuracy over that of a round in which nobody is paid, whatever the clients say of themselves."""
    inside = cast(Strategic, market.fleet).fleet
    clients, A = len(inside.roster), market.terms.accuracy
    nothing = PriceOffer(np.zeros(clients), np.full(clients, market.terms.size_high))
    unpaid = np.nan_to_num(inside.respond(nothing, None))
    return float((A(trained, inside.roster.iid) - A(unpaid, inside.roster.iid)).mean())
