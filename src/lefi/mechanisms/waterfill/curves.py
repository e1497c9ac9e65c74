"""Families of curves: what a client delivers for an offer, up to a location b that answers narrow down.

x  log weight of the offer      r  rate      c  cap: the most that the client delivers      k  log of what c would earn
hinge   (x - b) / r                    a rational client (problem P0)
shy     the same, or nothing           a rational client with a fixed cost, which stays at home where it would lose
power   c exp(e (k - b))               in proportion to a power e of the money
step    c where k >= b, else nothing   all or nothing
stairs  a level per threshold of k     more for more money, by leaps
idle    nothing
"""

from math import exp, expm1, log

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined

KINDS = 9
OPEN, CAPPED, SHY_OPEN, SHY, POWER_OPEN, POWER, STEP, STAIRS, IDLE = range(KINDS)  # open: no cap below size_high
FIXED_COST, HINGES, RISING = SHY_OPEN, POWER_OPEN, STEP  # below HINGES kinds see the weight, below RISING they rise
LEVELS = 4  # of stairs, at most: with fewer, smooth curves with a foot are not seen to rise above it
COLUMNS = 6 + 2 * LEVELS
KIND, B, FIXED, EXPONENT, CAP, CHANCE, LEVEL = range(7)  # of a point; fixed cost in thousand samples
AT = LEVEL + LEVELS  # first threshold of stairs in log money; LEVEL: the size from there on, the cap first
ROUNDING = 1e-9  # relative, or log money: by so much a threshold may be missed, and still be met
TINY = 1e-300  # least number that has a log
MOST = 50.0  # largest exponent: its exponential is beyond all sizes and all money
DEEP = 3.0  # log size below the cap where a curve without a foot ends


@inlined
def money(rate: float, size: float) -> float:
    """Log of what a size earns at weight 1."""
    return log(max(-expm1(-rate * size), TINY))


@inlined
def least_fixed(u: float, size: float, rate: float) -> float:
    """The fixed cost up to which a client takes part, in thousand samples; u: how far it is paid above its location."""
    return -exp(min(u, MOST)) * expm1(-rate * size) / rate - size


@compiled
def reached(s: FloatArray, k: float) -> float:
    """The level of stairs that a client reaches for this log money."""
    size = 0.0
    for level in range(LEVELS):
        size = max(size, s[LEVEL + level]) if k >= s[AT + level] - ROUNDING else size
    return size


@inlined
def wish(s: FloatArray, x: float, limit: float, rate: float) -> float:
    """What a client on the curve s delivers at log weight x, paid up to the limit."""
    kind, cap = int(s[KIND]), s[CAP]
    most = min(cap, limit)
    if kind < HINGES:
        u = x - s[B]
        size = min(max(u / rate, 0.0), most)
        return 0.0 if kind >= FIXED_COST and least_fixed(u, size, rate) < s[FIXED] * (1 - ROUNDING) else size
    if kind == IDLE:
        return 0.0
    k = x + money(rate, most)
    if kind == STEP:
        return most if k >= s[B] else 0.0
    if kind == STAIRS:
        return min(reached(s, k), most)
    return min(cap * exp(min(s[EXPONENT] * (k - s[B]), MOST)), most)


@inlined
def kink(s: FloatArray, rate: float, level: int) -> float:
    """The log weight from which a client on the curve s delivers its cap, or a lower level of stairs that have it."""
    kind, cap = int(s[KIND]), max(s[CAP], TINY)
    if kind < HINGES:
        full = log(rate * (cap + s[FIXED])) - money(rate, cap) if kind >= FIXED_COST else 0.0
        return s[B] + max(rate * cap, full)
    if kind == STAIRS:
        level = level if s[LEVEL + level] > 0 else 0
        return s[AT + level] - money(rate, s[LEVEL + level])
    return s[B] - money(rate, cap)
