"""Offers to plain clients by a formula: to think about a client takes a hundred times as long.

The best size at a price of money is where one more sample brings as much accuracy as it costs,
slope(size) = price rate exp(b + rate size).
"""

from math import exp, expm1, log
from typing import NamedTuple

import numpy as np

from lefi.allocation import search
from lefi.arrays import FloatArray, IntArray
from lefi.cells import summed
from lefi.compiler import compiled
from lefi.draws import key, uniform
from lefi.mechanisms.waterfill.candidates import NOTHING, Offers
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.memory import EXACT, SAME
from lefi.mechanisms.waterfill.plain import Plain
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

SAMPLE, BLOCK = 1000, 2048  # clients that tell the price, about; clients that are served at a time
STRIDE = 1.25  # factor by which a price is moved to see how spending follows, and corrected at most
SIZES = 16  # from nothing to the cap, between which the best one is interpolated


def telling(ids: IntArray, clients: float) -> IntArray:
    """Where those of about so many plain clients stand that tell what all of them spend: their ids hash low."""
    return np.flatnonzero(uniform(key(0, "telling"), ids) < SAMPLE / max(clients, 1))


class Curves(NamedTuple):
    """Of plain clients. Sizes go in steps from nothing to the cap."""

    b: FloatArray  # location
    rate: FloatArray
    step: FloatArray
    worth: FloatArray  # (n, SIZES) accuracy that one more thousand samples bring at each size
    grow: FloatArray  # factor by which a step makes more samples dearer


class Formula:
    """What plain clients buy at a price of money; each stands for `scale` of them."""

    def __init__(self, terms: Terms, iid: FloatArray, rate: FloatArray, plain: Plain, scale: float) -> None:
        self.terms, self.scale, self.size = terms, scale, np.empty(rate.size)
        step = plain.cap / (SIZES - 1)
        worth = terms.accuracy.slope(step[:, None] * np.arange(SIZES), iid[:, None])
        self.curves = Curves(plain.b, rate, step, np.maximum(worth, TINY), np.exp(rate * step))

    def spend(self, price: float) -> float:
        """What they spend at this price of money, at most."""
        return float(buy(price, self.curves, self.size)) * self.scale

    def price(self, budget: float) -> tuple[float, float]:
        """The price of money at which they spend this budget, and the power of it that they follow."""
        guess = float((self.curves.worth[:, 0] / self.curves.rate * np.exp(-self.curves.b)).max())
        price = search(self.spend, budget, guess, SAME * guess, EXACT)[1]
        less, more = self.spend(price * STRIDE), self.spend(price / STRIDE)
        return price, min(float(np.log(max(less, TINY) / max(more, TINY))) / (2 * np.log(STRIDE)), -EXACT)

    def offers(self, price: float) -> Offers:
        """The best ones at this price."""
        self.spend(price)
        x = np.where(self.size > self.terms.size_low, self.curves.b + self.curves.rate * self.size, NOTHING)
        limit = np.clip(self.size * (1 + 4 * SAME), self.terms.size_low, self.terms.size_high)
        return Offers(x, self.size, limit, -np.exp(x) * np.expm1(-self.curves.rate * limit))


@compiled
def buy(price: float, curves: Curves, size: FloatArray) -> float:
    """Fill the best sizes: where what one more sample is worth falls below what it costs. Returns the cost of all."""
    total = 0.0
    for i in range(size.size):
        worth, least = curves.worth[i], exp(curves.b[i])
        cost, before, j = price * curves.rate[i] * least, 1.0, 0
        while j < SIZES and worth[j] > cost:
            before, cost, j = worth[j] / cost, cost * curves.grow[i], j + 1
        part = log(before) / log(before * cost / worth[j]) if 0 < j < SIZES else 0.0
        size[i] = curves.step[i] * (max(j - 1, 0) + part)
        total += least * expm1(curves.rate[i] * size[i])
    return total


def share(terms: Terms, roster: Roster, plain: Plain, formula: Formula, budget: float) -> Offers:
    """Offers to plain clients that share a budget, about: at the price that some tell, corrected by what all spend."""
    price, power = formula.price(budget)
    spent = summed(roster.ids, serve(terms, roster, plain, price).cost)
    return serve(terms, roster, plain, price * corrected(spent, budget, power))


def corrected(spent: float, budget: float, power: float) -> float:
    """The factor that leads from a price at which so much is spent to the one at which the budget is."""
    return float(np.clip((budget / max(spent, TINY)) ** (1 / power), 1 / STRIDE, STRIDE))


def serve(terms: Terms, roster: Roster, plain: Plain, price: float) -> Offers:
    """The best offers at this price."""
    found = Offers(*np.empty((4, len(roster))))

    def part(whole: slice) -> None:
        for start in range(whole.start, whole.stop, BLOCK):  # what a block needs stays close to the processor
            p = slice(start, min(start + BLOCK, whole.stop))
            offers = Formula(terms, roster.iid[p], roster.rate[p], plain.take(p), 1.0).offers(price)
            for column, mine in zip(found, offers, strict=True):
                column[p] = mine

    in_parts(len(roster), part)
    return found
