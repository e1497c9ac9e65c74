"""Families of curves: what a client delivers for an offer, up to a location b that answers narrow down.

x  log weight of the offer      r  rate      c  cap: the most that the client delivers      k  log of what c would earn
hinge   (x - b) / r                    a rational client (problem P0)
shy     the same, or nothing           a rational client with a fixed cost, which stays at home where it would lose
power   c exp(e (k - b))               in proportion to a power e of the money
step    c where k >= b, else nothing   all or nothing
stairs  what it has answered; between two answers it jumps at a share of the way: any curve that never falls
idle    nothing
"""

from math import exp, expm1, log
from typing import NamedTuple

from lefi.arrays import FloatArray
from lefi.compiler import inlined

KINDS = 9
OPEN, CAPPED, SHY_OPEN, SHY, POWER_OPEN, POWER, STEP, STAIRS, IDLE = range(KINDS)  # open: no cap below size_high
FIXED_COST, HINGES, RISING = SHY_OPEN, POWER_OPEN, STEP  # below HINGES kinds see the weight, below RISING they rise
COLUMNS = 7
KIND, B, FIXED, EXPONENT, SHARE, CAP, CHANCE = range(COLUMNS)  # of a point; fixed cost in thousand samples
K, SIZE = range(2)  # columns of a level of stairs: log money, thousand samples
ROUNDING = 1e-9  # relative, or log money: by so much a threshold may be missed, and still be met
TINY = 1e-300  # least number that has a log
MOST = 50.0  # largest exponent: its exponential is beyond all sizes and all money
DEEP = 3.0  # log size, or log money on stairs, below what was seen where a curve without a foot ends


class Levels(NamedTuple):
    """The stairs of one client: levels (., 2) by money, how many, and the power of money that led to the last."""

    steps: FloatArray
    height: int
    power: float


@inlined
def money(rate: float, size: float) -> float:
    """Log of what a size earns at weight 1."""
    return log(max(-expm1(-rate * size), TINY))


@inlined
def least_fixed(u: float, size: float, rate: float) -> float:
    """The fixed cost up to which a client takes part, in thousand samples; u: how far it is paid above its location."""
    return -exp(min(u, MOST)) * expm1(-rate * size) / rate - size


@inlined
def wish(s: FloatArray, levels: Levels, x: float, limit: float, rate: float) -> float:
    """What a client on the curve s delivers at log weight x, paid up to the limit."""
    kind, cap = int(s[KIND]), s[CAP]
    most = min(cap, limit)
    if kind < HINGES:
        u = x - s[B]
        size = min(max(u / rate, 0.0), most)
        return 0.0 if kind >= FIXED_COST and least_fixed(u, size, rate) < s[FIXED] * (1 - ROUNDING) else size
    if kind == IDLE:
        return 0.0
    if kind == STAIRS:  # what it can deliver is not known: its money counts up to what it has delivered
        k = x + money(rate, min(limit, levels.steps[levels.height - 1, SIZE]))
        return min(climb(levels, s[SHARE], k, cap), most)
    k = x + money(rate, most)
    if kind == STEP:
        return most if k >= s[B] else 0.0
    return min(cap * exp(min(s[EXPONENT] * (k - s[B]), MOST)), most)


@inlined
def climb(levels: Levels, share: float, k: float, cap: float) -> float:
    """The stair on which log money k stands. Above the last one: the same, or on along the power that led there."""
    size, before = 0.0, levels.steps[0, K] - DEEP
    for i in range(levels.height):
        at = levels.steps[i, K]
        if k < before + share * (at - before):
            return size
        before, size = at, levels.steps[i, SIZE]
    if 2 * share > 1 and k > before:
        size = min(size * exp(min(levels.power * (k - before), MOST)), cap)
    return size


@inlined
def kink(s: FloatArray, levels: Levels, rate: float) -> float:
    """The log weight from which a client on the curve s delivers its cap."""
    kind, cap = int(s[KIND]), max(s[CAP], TINY)
    if kind < HINGES:
        full = log(rate * (cap + s[FIXED])) - money(rate, cap) if kind >= FIXED_COST else 0.0
        return s[B] + max(rate * cap, full)
    if kind == STAIRS:
        last = levels.height - 1
        before = levels.steps[last - 1, K] if last > 0 else levels.steps[0, K] - DEEP
        return before + s[SHARE] * (levels.steps[last, K] - before) - money(rate, levels.steps[last, SIZE])
    return s[B] - money(rate, cap)
