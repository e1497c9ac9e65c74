"""What a client may do: families of curves up to a location b that answers narrow down, and what all clients share.

x  log weight of the offer      r  rate      c  cap: the most that the client delivers      k  log of what c would earn
hinge   (x - b) / r                    a rational client (problem P0); who never delivers has c = 0
power   c exp(e (k - b))               in proportion to a power e of the money; with the largest e all or nothing
stairs  a level per threshold of k     more for more money, by leaps
"""

from math import exp, expm1, log
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import inlined

EXPONENTS = np.array([0.0, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 1e5])  # of powers; 0 stands for hinges, the last for steps
STAIRS = 2 * EXPONENTS.size  # kinds before it: of each exponent without a cap below size_high, and with one
STEP, IDLE = STAIRS - 1, STAIRS + 1  # all or nothing, with a cap; who never delivers
KINDS = IDLE + 1
LEVELS = 4  # of stairs, at most: with fewer, smooth curves with a foot are not seen to rise above it
KEPT = 40  # points of a client that are kept, of all families: fewer lose those that are rare
POINTS = 17  # per family at most: where little is known, they lie a tenth of the doubt apart
RARE = 0.005  # chance of a curve that does not count
WIDE = 3.0  # deviations of noise, drift and prior within which a location is sought, and an answer fits
SURE = 2.0  # deviations of noise that an answer may be off: room for it in a limit, and what tells two curves apart
ROUGH = 0.03  # of a size: noise below it is none to speak of, and by so much a curve of another shape may be off
BROAD = 0.3  # variance of a location: by which a jump may move it, and from which a client teaches nothing of others
TINY = float(np.finfo(np.float64).tiny)  # has a log
NOTHING = -700.0  # log weight that offers nothing
PRICES, SUMS = range(2)  # what has a prior: b of hinges, and b of others in log money

# A curve, and how likely it is. full: log of what its cap would earn; level, at: sizes of stairs and their log money
FIELDS = [("kind", int), *((name, float) for name in ("b", "exponent", "cap", "full", "chance"))]
POINT = np.dtype([*FIELDS, ("level", float, LEVELS), ("at", float, LEVELS)])
Points = Any  # records of POINT; (n, KEPT) are beliefs about n clients, the likeliest first


class Shared(NamedTuple):
    """What the fleet has taught."""

    floor: float  # size_low
    high: float  # size_high
    rho: float  # relative deviation of an answer: noise
    drift: float  # variance of a location per round
    jumped: float  # round before which answers are of another regime
    now: float  # round
    mean: FloatArray  # of PRICES (with the log of the rate added) and SUMS
    var: FloatArray
    chances: FloatArray  # of the kinds


class Offers(NamedTuple):
    """Log weights, and what they bring: one per client (n), or several to choose from (n, g)."""

    x: FloatArray
    size: FloatArray  # to expect
    limit: FloatArray
    cost: FloatArray  # USD, at most

    @classmethod
    def at(cls, x: FloatArray) -> "Offers":
        """Room for what these log weights bring."""
        return cls(x, np.zeros(x.shape), np.zeros(x.shape), np.zeros(x.shape))

    def part(self, p: slice) -> "Offers":
        return Offers._make(column[p] for column in self)


def blank(n: int) -> Points:
    """Room for what is believed about n clients: nothing yet."""
    return np.zeros((n, KEPT), dtype=POINT).view(np.recarray)


@inlined
def money(rate: float, size: float) -> float:
    """Log of what a size earns at weight 1."""
    return log(max(-expm1(-rate * size), TINY))


@inlined
def reached(s: np.record, k: float) -> float:
    """The level of stairs that a client reaches for this log money."""
    size = 0.0
    for level in range(LEVELS):
        size = max(size, s.level[level]) if k >= s.at[level] - 1e-9 else size  # a threshold may be missed by rounding
    return size


@inlined
def wish(s: np.record, x: float, limit: float, rate: float) -> float:
    """What a client on the curve s delivers at log weight x, paid up to the limit."""
    most = min(s.cap, limit)
    if s.exponent == 0:
        return min(max((x - s.b) / rate, 0.0), most)
    k = x + (s.full if limit >= s.cap else money(rate, limit))
    if s.kind == STAIRS:
        return min(reached(s, k), most)
    return min(s.cap * exp(s.exponent * min(k - s.b, 0.0)), most)


@inlined
def kink(s: np.record, rate: float, level: int) -> float:
    """The log weight from which a client on the curve s delivers its cap, or a lower level of stairs that have it."""
    if s.exponent == 0:
        return s.b + rate * s.cap
    if s.kind == STAIRS:
        level = level if s.level[level] > 0 else 0
        return s.at[level] - money(rate, s.level[level])
    return s.b - s.full


@inlined
def moved(s: np.record, x: float, limit: float, rate: float, slack: float) -> float:
    """How far off an answer may be where the location has moved by the slack."""
    return (wish(s, x + slack, limit, rate) - wish(s, x - slack, limit, rate)) / 2 if slack > 0 else 0.0
