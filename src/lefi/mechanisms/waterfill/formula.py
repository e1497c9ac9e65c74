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
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.memory import EXACT, SAME
from lefi.mechanisms.waterfill.plain import Plain
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

SAMPLE, BLOCK = 1000, 2048  # clients that tell the price, about; clients that are served at a time
STRIDE = 1.25  # factor by which a price is moved to see how spending follows, and corrected at most
NEWTON = 12  # steps towards the best size, from the last answer, at most: it hardly moves from one round to the next
SIZES = 16  # from nothing to the cap, between which what is spent at a price is interpolated


class Line(NamedTuple):
    """Curves of clients."""

    b: FloatArray  # location
    rate: FloatArray
    cap: FloatArray


class Offers(NamedTuple):
    """To plain clients, at a price of money."""

    x: FloatArray
    limit: FloatArray
    cost: FloatArray
    size: FloatArray


def telling(ids: IntArray, clients: float) -> IntArray:
    """Where those of about so many plain clients stand that tell what all of them spend: their ids hash low."""
    return np.flatnonzero(uniform(key(0, "telling"), ids) < SAMPLE / max(clients, 1))


class Formula:
    """What plain clients spend at a price of money, as some of them tell: each stands for `scale` of them."""

    def __init__(self, terms: Terms, some: Roster, plain: Plain, scale: float) -> None:
        self.line, self.scale = Line(plain.b, some.rate, plain.cap), scale
        size = plain.cap[:, None] * np.linspace(0, 1, SIZES)
        slope = terms.accuracy.slope(size, some.iid[:, None])
        rate, b = some.rate[:, None], plain.b[:, None]
        self.dear = np.log(np.maximum(slope, TINY)) - np.log(rate) - b - rate * size  # log price at which it is best

    def spend(self, price: float) -> float:
        """What they spend at this price of money, at most."""
        return float(spent(float(np.log(price)), self.dear, self.line)) * self.scale

    def price(self, budget: float) -> tuple[float, float]:
        """The price of money at which they spend this budget, and the power of it that they follow."""
        guess = float(np.exp(self.dear[:, 0].max()))
        price = search(self.spend, budget, guess, SAME * guess, EXACT)[1]
        less, more = self.spend(price * STRIDE), self.spend(price / STRIDE)
        return price, min(float(np.log(max(less, TINY) / max(more, TINY))) / (2 * np.log(STRIDE)), -EXACT)


def share(terms: Terms, roster: Roster, plain: Plain, formula: Formula, budget: float) -> Offers:
    """Offers to plain clients that share a budget, about: at the price that some tell, corrected by what all spend."""
    price, power = formula.price(budget)
    offers = serve(terms, roster, plain, price)
    price *= corrected(summed(roster.ids, offers.cost), budget, power)
    return serve(terms, roster, plain._replace(last=offers.size), price)


def corrected(spent: float, budget: float, power: float) -> float:
    """The factor that leads from a price at which so much is spent to the one at which the budget is."""
    return float(np.clip((budget / max(spent, TINY)) ** (1 / power), 1 / STRIDE, STRIDE))


@compiled
def spent(dear: float, ladder: FloatArray, line: Line) -> float:
    """What clients cost at this log price; ladder (n, SIZES): the log prices at which sizes up to the cap are best."""
    total = 0.0
    for i in range(line.b.size):
        j = 0
        while j < SIZES and ladder[i, j] > dear:
            j += 1
        if j > 0:
            part = (ladder[i, j - 1] - dear) / (ladder[i, j - 1] - ladder[i, j]) if j < SIZES else 0.0
            size = line.cap[i] * (j - 1 + part) / (SIZES - 1)
            total += exp(line.b[i]) * expm1(line.rate[i] * size)
    return total


def serve(terms: Terms, roster: Roster, plain: Plain, price: float) -> Offers:
    """The best offers at this price."""
    found = Offers(*np.empty((4, len(roster))))

    def part(whole: slice) -> None:
        for start in range(whole.start, whole.stop, BLOCK):  # what a block needs stays close to the processor
            p = slice(start, min(start + BLOCK, whole.stop))
            iid, size, line = roster.iid[p], found.size[p], Line(plain.b[p], roster.rate[p], plain.cap[p])
            size[:] = np.minimum(plain.last[p], line.cap)
            low, high = np.full(size.size, -1.0), line.cap + 1
            for _ in range(NEWTON):
                worth, ahead = terms.accuracy.slope(size, iid), terms.accuracy.slope(size + EXACT, iid)
                if approach(worth / price, ahead / price, line, low, high, size) < EXACT:
                    break
            write(line, terms.size_low, terms.size_high, Offers(*(column[p] for column in found)))

    in_parts(len(roster), part)
    return found


@compiled
def approach(
    worth: FloatArray, ahead: FloatArray, line: Line, low: FloatArray, high: FloatArray, size: FloatArray
) -> float:
    """One step of Newton's to the size in [0, cap] at which a sample is worth what it costs; returns the largest step.

    In logs, in which its cost rises as the rate does. A step out of what is known to hold the size goes to the middle.
    Whose step was small has arrived and stays: so nobody's size hangs on who else is in the block.
    """
    largest = 0.0
    for i in range(size.size):
        if low[i] >= high[i]:
            continue
        now, rate, cap = log(max(worth[i], TINY)), line.rate[i], line.cap[i]
        over = now - log(rate) - line.b[i] - rate * size[i]
        if over > 0:
            low[i] = size[i]
        else:
            high[i] = size[i]
        fall = max((now - log(max(ahead[i], TINY))) / EXACT, 0.0)
        new = min(max(size[i] + over / (fall + rate), 0.0), cap)
        new = new if low[i] < new < high[i] else min(max((low[i] + high[i]) / 2, 0.0), cap)
        step, size[i] = abs(new - size[i]), new
        largest = max(largest, step)
        if step < EXACT:
            low[i], high[i] = new, new
    return largest


@compiled
def write(line: Line, floor: float, high: float, offers: Offers) -> None:
    """Fill the offers that buy these sizes."""
    for i in range(line.b.size):
        size, rate = offers.size[i], line.rate[i]
        offers.x[i] = line.b[i] + rate * size if size > floor else NOTHING
        offers.limit[i] = min(max(size * (1 + 4 * SAME), floor), high)
        offers.cost[i] = -exp(offers.x[i]) * expm1(-rate * offers.limit[i])
