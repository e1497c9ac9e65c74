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
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, SLOTS, WHEN, Answers, Memory, X, Y
from lefi.mechanisms.waterfill.points import ROUGH, Shared
from lefi.messages import Roster
from lefi.threads import in_parts

LEFT = 30.0  # deviations left of the fleet's mean from where on its prior tells nothing


class Plain(NamedTuple):
    """What the answers of n clients say."""

    follows: BoolArray  # no answer contradicts such a curve
    rises: BoolArray  # nor is its location in doubt: one lies on the rise
    b: FloatArray  # location: where it is, or where it is sought
    cap: FloatArray
    last: FloatArray  # newest size
    x: FloatArray  # log weight of the last offer that brought something, NOTHING where none did
    limit: FloatArray  # its limit

    def take(self, at: IntArray | slice) -> "Plain":
        return Plain._make(column[at] for column in self)


def survey(memory: Memory, roster: Roster, shared: Shared) -> Plain:
    """What the answers of these clients say."""
    at, known = memory.rows(roster.ids)
    found = blank(at.size)
    at = np.where(known, at, -1)
    in_parts(at.size, lambda p: look(memory.answers, at[p], roster.rate[p], shared, found.take(p)))
    return found


def told(answers: Answers, rate: FloatArray, shared: Shared) -> Plain:
    """What these answers say, of a client each."""
    found = blank(rate.size)
    look(answers, np.arange(rate.size), rate, shared, found)
    return found


def blank(n: int) -> Plain:
    return Plain(*np.zeros((2, n), dtype=bool), *np.zeros((5, n)))


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows; -1: there is none."""
    close, calm = EXACT * shared.high, shared.rho <= ROUGH and shared.drift == 0
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
        found.cap[i], found.last[i] = top if capped else shared.high, mine[Y, 0]
        found.b[i] = b if rises else seek(least, b, shared.mean[0] - log(r), sqrt(shared.var[0]))
        fits = calm and (b < np.inf or n < SLOTS // 4)
        for j in range(n if b < np.inf else 0):
            size = min(max((mine[X, j] - b) / r, shared.floor), min(found.cap[i], mine[LIMIT, j]))
            fits = fits and abs(mine[Y, j] - size) <= close
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
