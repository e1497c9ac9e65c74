"""Clients that answer as a rational client without noise does: what their answers say without a belief.

A rational client delivers min((x - b) / rate, cap), so no answer y at log weight x lies left of its location:
b = min(x - rate y), and on the rise it is b.
"""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.likelihood import log_phi, normal
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers, Memory
from lefi.mechanisms.waterfill.points import PRICES, ROUGH, Shared
from lefi.messages import Roster
from lefi.threads import in_parts

LEFT = 30.0  # deviations left of the fleet's mean from where on its prior tells nothing


class Plain(NamedTuple):
    """What the answers of n clients say."""

    follows: BoolArray  # no answer contradicts such a curve
    rises: BoolArray  # nor is its location in doubt: one lies on the rise
    b: FloatArray  # location: where it is, or where it is sought
    cap: FloatArray
    x: FloatArray  # log weight of the last offer that brought something, NOTHING where none did
    limit: FloatArray  # its limit

    def take(self, at: IntArray | slice) -> "Plain":
        return Plain._make(column[at] for column in self)


def survey(memory: Memory, roster: Roster, shared: Shared) -> Plain:
    """What the answers of these clients say."""
    at, known = memory.rows(roster.ids)
    return told(memory.answers, roster.rate, shared, np.where(known, at, -1))


def told(answers: Answers, rate: FloatArray, shared: Shared, at: IntArray | None = None) -> Plain:
    """What these answers say, of a client each, or of the clients in these rows; -1: there is none."""
    rows = np.arange(rate.size) if at is None else at
    found = Plain(*np.zeros((2, rate.size), dtype=bool), *np.zeros((4, rate.size)))
    in_parts(rate.size, lambda p: look(answers, rows[p], rate[p], shared, found.take(p)))
    return found


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows."""
    close, calm = EXACT * shared.high, shared.rho <= ROUGH and shared.drift == 0
    for i in range(at.size):
        found.x[i], found.limit[i] = NOTHING, shared.floor
        if at[i] < 0 or np.isnan(answers[at[i], 0].y):
            continue
        mine, r = answers[at[i]], rate[i]
        b, top, least, n = np.inf, 0.0, -np.inf, 0
        while n < SLOTS and not np.isnan(mine[n].y) and (n == 0 or mine[n].when >= shared.jumped):
            if mine[n].y > shared.floor + close:
                if found.x[i] == NOTHING:
                    found.x[i], found.limit[i] = mine[n].x, mine[n].limit
                b, top = min(b, mine[n].x - r * mine[n].y), max(top, mine[n].y)
            else:
                least = max(least, mine[n].x - r * shared.floor)
            n += 1
        capped, rises = False, False
        for j in range(n):
            if mine[j].y < mine[j].limit * (1 - SAME):
                capped = capped or (mine[j].y >= top - close and mine[j].x > b + r * (top + close))
                rises = rises or shared.floor + close < mine[j].y < top - close
        found.cap[i] = top if capped else shared.high
        found.b[i] = b if rises else seek(least, b, shared.mean[PRICES] - log(r), sqrt(shared.var[PRICES]))
        fits = calm and (b < np.inf or n < SLOTS // 4)
        for j in range(n if b < np.inf else 0):
            size = min(max((mine[j].x - b) / r, shared.floor), min(found.cap[i], mine[j].limit))
            fits = fits and abs(mine[j].y - size) <= close
        found.follows[i], found.rises[i] = fits, fits and rises


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
