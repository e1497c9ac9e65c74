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
from lefi.messages import Terms
from lefi.offers import PriceOffer
from lefi.world.abilities import Costed, able
from lefi.world.client import expense
from lefi.world.market import Market

Maker = Callable[[Terms], Mechanism]


@dataclass(frozen=True, eq=False)
class Match:
    """Means over rounds. `kept` is per client of the first round: payment less cost, in USD.

    `gain` is the server's: accuracy over that of a round in which nobody is paid. `paid` is in USD.
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
    """Play the game. The clients' draws are those of `lefi.play` with this seed."""
    whole("rounds", rounds, low=1)
    ids = np.sort(market.fleet.roster.ids)
    if not able(market.fleet, Costed):
        raise InputError("fleet", market.fleet, "one whose costs can be looked up")
    mechanism = maker(name, seed)(market.terms)
    kept, gain, paid = np.zeros(ids.size), 0.0, 0.0
    fleet = Strategic(market.fleet, tuple(sides))
    for round in range(1, rounds + 1):
        market = replace(market, fleet=fleet)
        receipt = market.settle(round, mechanism.ask(fleet.roster), generator(seed, "behaviour", round))
        mechanism.tell(receipt)
        own = receipt.payments - expense(fleet.fleet, np.nan_to_num(market.truth(receipt.sizes)))
        here = np.isin(receipt.roster.ids, ids)  # who came later is no player
        np.add.at(kept, np.searchsorted(ids, receipt.roster.ids[here]), own[here])
        gain, paid = gain + receipt.accuracy - unpaid(market), paid + receipt.paid
        noted = replace(market, fleet=fleet.after(receipt.offer))
        fleet = cast(Strategic, noted.after(receipt).advance(generator(seed, "advance", round)).fleet)
    return Match(ids, kept / rounds, gain / rounds, paid / rounds)


def unpaid(market: Market) -> float:
    """Accuracy of what the clients deliver for nothing."""
    clients = len(market.fleet.roster)
    nothing = PriceOffer(np.zeros(clients), np.full(clients, market.terms.size_high))
    sizes = cast(Strategic, market.fleet).fleet.respond(nothing, None)
    return market.accuracy_of(np.asarray(sizes, dtype=np.float64))
