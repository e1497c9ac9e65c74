"""Clients that answer as a rational client without noise does: what their answers say without a belief.

A rational client delivers min((x - b) / rate, cap), so no answer y at log weight x lies left of its location:
b = min(x - rate y), and on the rise it is b.
"""

from math import log, sqrt
from typing import Any

import numpy as np

from lefi.allocation import best_response
from lefi.arrays import FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import NOTHING, PRICES, ROUGH, Offers, Shared
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers
from lefi.messages import Terms
from lefi.threads import in_parts

SIZES, LOOKS = 9, 3  # to choose from, evenly spread; looks at them, each four times as close as the one before

# What the answers of a client say.
# follows: none contradicts such a curve; else the client is offered what brought something last, or nothing
# rises: nor is its location in doubt, one lies on the rise    b: location, where it is or where it is sought
# cap: the most to pay for, 0 where nothing ever came          part: of the cap that is delivered
SAID = np.dtype([("follows", bool), ("rises", bool), ("b", float), ("cap", float), ("part", float)])
Plain = Any  # records of SAID


def survey(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared) -> Plain:
    """What the answers in these rows say, of a client each; -1: there are none."""
    found = np.recarray(rate.size, SAID)
    in_parts(rate.size, lambda p: look(answers, at[p], rate[p], shared, found[p]))
    return found


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows."""
    close, calm = EXACT * shared.high, shared.rho <= ROUGH and shared.drift <= EXACT / SLOTS
    for i in range(at.size):
        one = found[i]
        one.follows, one.rises, one.b, one.cap, one.part = False, False, 0.0, 0.0, 1.0
        if at[i] < 0 or np.isnan(answers[at[i], 0].y):
            continue
        mine, r = answers[at[i]], rate[i]
        b, top, least, n = np.inf, 0.0, -np.inf, 0
        while n < SLOTS and not np.isnan(mine[n].y) and (n == 0 or mine[n].when >= shared.jumped):
            if mine[n].y > shared.floor + close:
                if top == 0:
                    one.b, one.cap, one.part = mine[n].x - r * mine[n].limit, mine[n].limit, mine[n].y / mine[n].limit
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
        one.follows, one.rises = fits, fits and rises
        if fits:
            one.cap, one.part = cap, 1.0
            one.b = b if rises else seek(least, b, shared.mean[PRICES] - log(r), sqrt(shared.var[PRICES]))


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
    found, every = Offers.at(np.empty(rate.size)), plain[:, None]

    def fill(p: slice) -> None:
        low, step, pick = np.zeros(plain[p].size), plain[p].cap / (SIZES - 1), np.zeros(plain[p].size, np.int64)
        for _ in range(LOOKS):
            size = low[:, None] + step[:, None] * np.arange(SIZES)
            cost = np.exp(every[p].b) * np.expm1(rate[p, None] * size)
            gain = np.array(terms.accuracy(size * every[p].part, iid[p, None]))
            gain[(size > 0) & (size < every[p].cap * (1 - SAME)) & ~every[p].follows] = -np.inf
            best_response(gain, cost, price, pick)
            found.size[p] = low + step * pick
            low, step = low + step * np.clip(pick - 1, 0, SIZES - 3), step * 2 / (SIZES - 1)

    in_parts(rate.size, fill)
    found.x[:] = np.where(found.size > terms.size_low, plain.b + rate * found.size, NOTHING)
    found.limit[:] = np.clip(found.size * (1 + 4 * SAME), terms.size_low, terms.size_high)
    found.cost[:] = -np.exp(found.x) * np.expm1(-rate * found.limit)
    return found
