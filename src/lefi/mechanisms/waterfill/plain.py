"""Clients that answer as a rational client without noise does: what their answers say without a belief.

A rational client delivers min((x - b) / rate, cap), so no answer y at log weight x lies left of its location:
b = min(x - rate y), and on the rise it is b.
"""

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.allocation import best_response
from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import NOTHING, PRICES, ROUGH, Offers, Shared
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers, Memory
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

SIZES, LOOKS = 9, 3  # to choose from, evenly spread; looks at them, each four times as close as the one before


class Plain(NamedTuple):
    """What the answers of n clients say."""

    follows: BoolArray  # no answer contradicts such a curve; else it is offered what brought something last, or nothing
    rises: BoolArray  # nor is its location in doubt: one lies on the rise
    b: FloatArray  # location: where it is, or where it is sought
    cap: FloatArray  # the most to pay for; 0 where nothing ever came
    part: FloatArray  # of the cap that is delivered

    def take(self, at: IntArray | slice) -> "Plain":
        return Plain._make(column[at] for column in self)


def survey(memory: Memory, roster: Roster, shared: Shared) -> Plain:
    """What the answers of these clients say."""
    at, known = memory.rows(roster.ids)
    return told(memory.answers, roster.rate, shared, np.where(known, at, -1))


def told(answers: Answers, rate: FloatArray, shared: Shared, at: IntArray | None = None) -> Plain:
    """What these answers say, of a client each, or of the clients in these rows; -1: there is none."""
    rows = np.arange(rate.size) if at is None else at
    found = Plain(*np.zeros((2, rate.size), dtype=bool), *np.zeros((3, rate.size)))
    in_parts(rate.size, lambda p: look(answers, rows[p], rate[p], shared, found.take(p)))
    return found


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows."""
    close, calm = EXACT * shared.high, shared.rho <= ROUGH and shared.drift <= EXACT / SLOTS
    for i in range(at.size):
        found.b[i], found.cap[i], found.part[i] = 0.0, 0.0, 1.0
        if at[i] < 0 or np.isnan(answers[at[i], 0].y):
            continue
        mine, r = answers[at[i]], rate[i]
        b, top, least, n = np.inf, 0.0, -np.inf, 0
        while n < SLOTS and not np.isnan(mine[n].y) and (n == 0 or mine[n].when >= shared.jumped):
            if mine[n].y > shared.floor + close:
                if top == 0:
                    found.b[i], found.cap[i] = mine[n].x - r * mine[n].limit, mine[n].limit
                    found.part[i] = mine[n].y / mine[n].limit
                b, top = min(b, mine[n].x - r * mine[n].y), max(top, mine[n].y)
            else:
                least = max(least, mine[n].x - r * shared.floor)
            n += 1
        capped, rises = False, False
        for j in range(n):
            if mine[j].y < mine[j].limit * (1 - SAME):
                capped = capped or (mine[j].y >= top - close and mine[j].x > b + r * (top + close))
                rises = rises or shared.floor + close < mine[j].y < top - close
        cap, fits = top if capped else shared.high, calm and (b < np.inf or n < SLOTS // 4)
        for j in range(n if b < np.inf else 0):
            size = min(max((mine[j].x - b) / r, shared.floor), min(cap, mine[j].limit))
            fits = fits and abs(mine[j].y - size) <= close
        found.follows[i], found.rises[i] = fits, fits and rises
        if fits:
            found.cap[i], found.part[i] = cap, 1.0
            found.b[i] = b if rises else seek(least, b, shared.mean[PRICES] - log(r), sqrt(shared.var[PRICES]))


@inlined
def seek(least: float, most: float, mean: float, deviation: float) -> float:
    """Where a location between these is sought: on the known side of what the fleet makes likely, or in the middle.

    Of a client that has only refused there is no most: it is sought above the least.
    """
    if most == np.inf:
        return max(mean, least) + deviation / 2
    found = min(mean, most) - deviation / 2
    return found if found > least else (least + most) / 2


def serve(terms: Terms, iid: FloatArray, rate: FloatArray, plain: Plain, price: float) -> Offers:
    """The best offers at a price of money: a size is delivered for what pays the last sample of it."""
    found = Offers(*np.empty((4, rate.size)))

    def fill(p: slice) -> None:
        low, step, pick = np.zeros(plain.b[p].size), plain.cap[p] / (SIZES - 1), np.zeros(plain.b[p].size, np.int64)
        for _ in range(LOOKS):
            size = low[:, None] + step[:, None] * np.arange(SIZES)
            cost = np.exp(plain.b[p, None]) * np.expm1(rate[p, None] * size)
            gain = np.array(terms.accuracy(size * plain.part[p, None], iid[p, None]))
            gain[(size > 0) & (size < plain.cap[p, None] * (1 - SAME)) & ~plain.follows[p, None]] = -np.inf
            best_response(gain, cost, price, pick)
            found.size[p] = low + step * pick
            low, step = low + step * np.clip(pick - 1, 0, SIZES - 3), step * 2 / (SIZES - 1)

    in_parts(rate.size, fill)
    found.x[:] = np.where(found.size > terms.size_low, plain.b + rate * found.size, NOTHING)
    found.limit[:] = np.clip(found.size * (1 + 4 * SAME), terms.size_low, terms.size_high)
    found.cost[:] = -np.exp(found.x) * np.expm1(-rate * found.limit)
    return found
