"""The control of the payment class `price`: one price and one limit for everybody, the best of them in hindsight.

r  price [USD / thousand samples]     l  limit [thousand samples]
For every r the largest l whose noise-free spend keeps to the budget; of these pairs the one with the most accuracy.
"""

import numpy as np

from lefi.messages import Receipt, spendable
from lefi.offers import PriceOffer
from lefi.world.market import Market

OCTAVES = (-6, 12)  # range of prices around budget / (clients size_high), in powers of two
PER_OCTAVE = 16
ZOOMS = 4  # times that the grid is drawn again, finer, around the best price
HALVINGS = 30


def flat_best(market: Market) -> Receipt[PriceOffer]:
    """What the best single price reaches for the current fleet. It cannot learn and does not have to.

    >>> market = lefi.scenario("mixed", clients=3, budget=0.1, payment="price")
    >>> best, bound = lefi.flat_best(market), lefi.first_best(market)
    >>> f"one price for all buys {best.accuracy:.3f}, prices at cost buy {bound.accuracy:.3f}"
    'one price for all buys 0.231, prices at cost buy 0.231'
    """
    market = market.taking("price")
    clients, size_high = len(market.fleet.roster), market.terms.size_high
    start = np.log2(market.terms.budget / (clients * size_high))
    steps = np.linspace(*OCTAVES, (OCTAVES[1] - OCTAVES[0]) * PER_OCTAVE + 1)
    best, at, width = _richest(market, 2.0**start), 0.0, 1 / PER_OCTAVE
    for _ in range(1 + ZOOMS):
        for octave in steps:
            receipt = _richest(market, 2.0 ** (start + octave))
            if receipt.accuracy > best.accuracy:
                best, at = receipt, octave
        steps, width = at + width * np.linspace(-1, 1, 9), width / 4
    return best


def _richest(market: Market, price: float) -> Receipt[PriceOffer]:
    """The largest limit that the budget allows at this price."""
    clients, terms = len(market.fleet.roster), market.terms

    def ask(limit: float) -> Receipt[PriceOffer]:
        return market.settle(1, PriceOffer(np.full(clients, price), np.full(clients, limit)), None)

    receipt = ask(terms.size_high)
    if receipt.paid <= spendable(terms.budget):
        return receipt
    low, high = terms.size_low, terms.size_high
    for _ in range(HALVINGS):
        mid = (low + high) / 2
        low, high = (mid, high) if ask(mid).paid <= spendable(terms.budget) else (low, mid)
    return ask(low)
