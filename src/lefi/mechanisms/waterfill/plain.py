"""Clients of a large fleet that answer as a rational client without noise does: a formula serves them.

To think about a client takes a tenth of a millisecond, the formula a hundredth of that. A rational client delivers
min((x - b) / rate, cap), so no answer y at log weight x lies left of its location: b = min(x - rate y), and on the rise
it is b. Its best size at a price of money is where one more sample brings as much accuracy as it costs.
"""

from math import exp, expm1, log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.allocation import search
from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.draws import key, uniform
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.likelihood import log_phi, normal
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, SLOTS, WHEN, Answers, Memory, X, Y
from lefi.mechanisms.waterfill.points import Shared
from lefi.mechanisms.waterfill.solver import BLOCK, STRIDE, raised
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

LEFT = 30.0  # deviations left of the fleet's mean from where on its prior tells nothing
NEWTON = 12  # steps towards the best size, from the last answer, at most: it hardly moves from one round to the next
TELLING = 1024  # clients that tell the price of money, about


class Plain(NamedTuple):
    """What the answers of n clients say without a belief."""

    follows: BoolArray  # all answers lie on one such curve
    b: FloatArray  # its location
    cap: FloatArray
    last: FloatArray  # newest size
    x: FloatArray  # log weight of the last offer that brought something, NOTHING where none did
    limit: FloatArray  # its limit

    def take(self, at: IntArray | slice) -> "Plain":
        return Plain._make(column[at] for column in self)


def survey(memory: Memory, roster: Roster, shared: Shared) -> Plain:
    """What the answers of these clients say."""
    at, known = memory.rows(roster.ids)
    found = Plain(np.zeros(at.size, dtype=bool), *(np.zeros(at.size) for _ in range(5)))
    at = np.where(known, at, -1)
    in_parts(at.size, lambda p: look(memory.answers, at[p], roster.rate[p], shared, found.take(p)))
    return found


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows; -1: there is none."""
    close = EXACT * shared.high
    for i in range(at.size):
        found.x[i], found.limit[i] = NOTHING, shared.floor
        if at[i] < 0 or np.isnan(answers[at[i], Y, 0]):
            continue
        mine, r = answers[at[i]], rate[i]
        b, top, least, n = np.inf, 0.0, -np.inf, 0
        while n < SLOTS and not np.isnan(mine[Y, n]) and (n == 0 or mine[WHEN, n] >= shared.jumped):
            if mine[Y, n] > shared.floor + close:
                if found.x[i] == NOTHING:
                    found.x[i], found.limit[i] = mine[X, n], mine[LIMIT, n]
                b, top = min(b, mine[X, n] - r * mine[Y, n]), max(top, mine[Y, n])
            else:
                least = max(least, mine[X, n] - r * shared.floor)
            n += 1
        capped, rises = False, False
        for j in range(n):
            if mine[Y, j] < mine[LIMIT, j] * (1 - SAME):
                capped = capped or (mine[Y, j] >= top - close and mine[X, j] > b + r * (top + close))
                rises = rises or shared.floor + close < mine[Y, j] < top - close
        found.cap[i] = top if capped else shared.high
        found.last[i], found.follows[i] = mine[Y, 0], b < np.inf or n < SLOTS // 4
        found.b[i] = b if rises else seek(least, b, shared.mean[0] - log(r), sqrt(shared.var[0]))
        for j in range(n if b < np.inf else 0):
            size = min(max((mine[X, j] - b) / r, shared.floor), min(found.cap[i], mine[LIMIT, j]))
            found.follows[i] = found.follows[i] and abs(mine[Y, j] - size) <= close


@inlined
def seek(least: float, most: float, mean: float, deviation: float) -> float:
    """Where a location between these is sought: where the fleet's prior expects it below the most, or in the middle.

    Of a client that has only refused there is no most: where the prior expects it above the least.
    """
    if most == np.inf:
        return -below(-least, -mean, deviation)
    found = below(most, mean, deviation)
    return found if found > least else (least + most) / 2


@inlined
def below(most: float, mean: float, deviation: float) -> float:
    """The mean of a normal variable that is at most this."""
    z = max((most - mean) / deviation, -LEFT)
    return most - deviation * (z + exp(normal(z, 0.0, 1.0) - log_phi(z)))


class Offers(NamedTuple):
    """To plain clients, at a price of money."""

    x: FloatArray
    limit: FloatArray
    cost: FloatArray
    size: FloatArray


def price_of(terms: Terms, roster: Roster, plain: Plain, budget: float) -> tuple[float, float]:
    """The price of money at which plain clients spend this budget, by some of them, and the power of it they follow."""
    some = telling(roster.ids, len(roster))
    return price_by(terms, roster.take(some), plain.take(some), budget * some.size / len(roster))


def telling(ids: IntArray, clients: int) -> IntArray:
    """Where those of so many clients stand that tell the price: their ids hash low."""
    return np.flatnonzero(uniform(key(0, "telling"), ids) < TELLING / clients)


def price_by(terms: Terms, few: Roster, which: Plain, most: float) -> tuple[float, float]:
    """The price of money at which these clients spend so much, and the power of it that they follow."""
    worth = np.maximum(terms.accuracy.slope(which.last, few.iid), TINY)
    guess = float(worth.sum()) * terms.size_high / most

    def spend(price: float) -> float:
        nonlocal which
        found = serve(terms, few, which, price)
        which = which._replace(last=found.size)  # the next price is close to this one
        return float(found.cost.sum())

    price = search(spend, most, guess, SAME * guess, EXACT)[1]
    less, more = spend(price * STRIDE), spend(price / STRIDE)
    power = float(np.log(max(less, TINY) / max(more, TINY))) / (2 * np.log(STRIDE))
    return price, min(power, -EXACT)


def share(terms: Terms, roster: Roster, plain: Plain, budget: float) -> Offers:
    """Offers to plain clients that share this budget: at the price that some tell, corrected by what all spend."""
    price, power = price_of(terms, roster, plain, budget)
    offers = serve(terms, roster, plain, price)
    price *= corrected(float(offers.cost.sum()), budget, power)
    offers = serve(terms, roster, plain._replace(last=offers.size), price)
    return offers._replace(x=raised(offers.x, float(offers.cost.sum()), budget))


def corrected(spent: float, budget: float, power: float) -> float:
    """The factor that leads from a price at which so much is spent to the one at which the budget is."""
    return float(np.clip((budget / max(spent, TINY)) ** (1 / power), 1 / STRIDE, STRIDE))


def serve(terms: Terms, roster: Roster, plain: Plain, price: float) -> Offers:
    """The best offers at this price."""
    found = Offers(*np.empty((4, len(roster))))

    def part(whole: slice) -> None:
        for start in range(whole.start, whole.stop, BLOCK):  # what a block needs stays close to the processor
            p = slice(start, min(start + BLOCK, whole.stop))
            iid, rate, b, cap, size = roster.iid[p], roster.rate[p], plain.b[p], plain.cap[p], found.size[p]
            size[:] = np.minimum(plain.last[p], cap)
            low, high = np.full(cap.size, -1.0), cap + 1
            for _ in range(NEWTON):
                worth, ahead = terms.accuracy.slope(size, iid), terms.accuracy.slope(size + EXACT, iid)
                if approach(worth / price, ahead / price, Line(b, rate, cap), low, high, size) < EXACT:
                    break
            write(Line(b, rate, cap), terms.size_low, terms.size_high, Offers(*(column[p] for column in found)))

    in_parts(len(roster), part)
    return found


class Line(NamedTuple):
    """Curves of clients: location, rate and cap."""

    b: FloatArray
    rate: FloatArray
    cap: FloatArray


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
