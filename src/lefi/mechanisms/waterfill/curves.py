"""Families of curves: what a client delivers for an offer, up to a location b that answers narrow down.

x  log weight of the offer      r  rate      c  cap: the most that the client delivers      k  log of what c would earn
hinge   (x - b) / r                    a rational client (problem P0)
power   c exp(e (k - b))               in proportion to a power e of the money
step    c where k >= b, else nothing   all or nothing
stairs  a level per threshold of k     more for more money, by leaps
idle    nothing
"""

from math import exp, expm1, log
from typing import Any

import numpy as np

from lefi.compiler import inlined

KINDS = 7
OPEN, CAPPED, POWER_OPEN, POWER, STEP, STAIRS, IDLE = range(
    KINDS
)  # open: no cap below size_high; below POWER_OPEN hinges
LEVELS = 4  # of stairs, at most: with fewer, smooth curves with a foot are not seen to rise above it
ROUNDING = 1e-9  # relative, or log money: by so much a threshold may be missed, and still be met
TINY = 1e-300  # least number that has a log

FIELDS = [("kind", int), ("b", float), ("exponent", float), ("cap", float), ("chance", float)]
LADDER = [("level", float, LEVELS), ("at", float, LEVELS)]  # sizes of stairs, the cap first, and their log money
POINT = np.dtype([*FIELDS, *LADDER])  # a curve
Points = Any  # records of POINT; (n, KEPT) are beliefs about n clients


@inlined
def money(rate: float, size: float) -> float:
    """Log of what a size earns at weight 1."""
    return log(max(-expm1(-rate * size), TINY))


@inlined
def reached(s: np.record, k: float) -> float:
    """The level of stairs that a client reaches for this log money."""
    size = 0.0
    for level in range(LEVELS):
        size = max(size, s.level[level]) if k >= s.at[level] - ROUNDING else size
    return size


@inlined
def wish(s: np.record, x: float, limit: float, rate: float) -> float:
    """What a client on the curve s delivers at log weight x, paid up to the limit."""
    most = min(s.cap, limit)
    if s.kind < POWER_OPEN:
        return min(max((x - s.b) / rate, 0.0), most)
    if s.kind == IDLE:
        return 0.0
    k = x + money(rate, most)
    if s.kind == STEP:
        return most if k >= s.b else 0.0
    if s.kind == STAIRS:
        return min(reached(s, k), most)
    return min(s.cap * exp(min(s.exponent * (k - s.b), 0.0)), most)


@inlined
def kink(s: np.record, rate: float, level: int) -> float:
    """The log weight from which a client on the curve s delivers its cap, or a lower level of stairs that have it."""
    if s.kind < POWER_OPEN:
        return s.b + rate * s.cap
    if s.kind == STAIRS:
        level = level if s.level[level] > 0 else 0
        return s.at[level] - money(rate, s.level[level])
    return s.b - money(rate, s.cap)
