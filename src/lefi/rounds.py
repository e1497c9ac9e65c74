"""One round after another: ask, settle, tell, yield."""

from collections.abc import Iterator

from lefi.arrays import whole
from lefi.draws import generator
from lefi.errors import InputError
from lefi.mechanisms import Mechanism
from lefi.messages import Receipt
from lefi.world.market import Market


def play(mechanism: Mechanism, market: Market, rounds: int, seed: int = 0) -> Iterator[Receipt]:
    """Play that many rounds and yield each receipt. The market that was given is not changed.

    The clients' draws depend on `seed` and the round alone, so every mechanism meets the same clients.
    """
    return (receipt for _, receipt in walk(mechanism, market, rounds, seed))


def walk(mechanism: Mechanism, market: Market, rounds: int, seed: int = 0) -> Iterator[tuple[Market, Receipt]]:
    """`play`, with the market that each receipt was settled in: who judges a round needs the fleet of that round."""
    if not isinstance(mechanism, Mechanism):
        raise InputError("mechanism", mechanism, "an object with ask and tell, see lefi.make")
    if not isinstance(market, Market):
        raise InputError("market", market, "a lefi.Market, see lefi.scenario")
    whole("rounds", rounds, low=1)
    whole("seed", seed, low=0)
    return _rounds(mechanism, market, rounds, seed)


def _rounds(mechanism: Mechanism, market: Market, rounds: int, seed: int) -> Iterator[tuple[Market, Receipt]]:
    for round in range(1, rounds + 1):
        offer = mechanism.ask(market.fleet.roster)
        receipt = market.settle(round, offer, generator(seed, "behaviour", round))
        mechanism.tell(receipt)
        yield market, receipt
        market = market.after(receipt).advance(generator(seed, "advance", round))
