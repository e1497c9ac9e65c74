"""What a client may do: families of curves up to a location b that answers narrow down, and what all clients share.

x  log weight of the offer      r  rate      c  cap: the most that the client delivers      k  log of what c would earn
hinge   (x - b) / r                    a rational client (problem P0); who never delivers has c = 0
power   c exp(e (k - b))               in proportion to a power e of the money; with the largest e all or nothing
stairs  a level per threshold of k     more for more money, by leaps
"""

from math import exp, expm1, log
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import TINY, FloatArray
from lefi.compiler import inlined

EXPONENTS = np.array([0.0, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 1e5])  # of powers; 0 stands for hinges, the last for steps
STAIRS = 2 * EXPONENTS.size  # kinds before it: of each exponent without a cap below size_high, and with one
STEP, IDLE = STAIRS - 1, STAIRS + 1  # all or nothing, with a cap; who never delivers
KINDS = IDLE + 1
LEVELS = 4  # of stairs, at most: with fewer, smooth curves with a foot are not seen to rise above it
KEPT = 40  # points of a client that are kept, of all families: fewer lose those that are rare
POINTS = 17  # per family at most: where little is known, they lie a tenth of the doubt apart
NOTHING = -np.inf  # log weight that offers nothing

# A curve, and how likely it is. full: log of what its cap would earn; level, at: sizes of stairs and their log money
FIELDS = [("kind", int), *((name, float) for name in ("b", "exponent", "cap", "full", "chance"))]
POINT = np.dtype([*FIELDS, ("level", float, LEVELS), ("at", float, LEVELS)])
Points = Any  # records of POINT; (n, KEPT) are beliefs about n clients, the likeliest first


class Offers(NamedTuple):
    """Log weights, and what they bring: one per client (n), or several to choose from (n, g)."""

    x: FloatArray
    size: FloatArray  # to expect
    limit: FloatArray
    cost: FloatArray  # USD, at most
    gain: FloatArray  # accuracy, and what answers are worth later

    @classmethod
    def at(cls, x: FloatArray) -> "Offers":
        """Room for what these log weights bring."""
        return cls(x, *np.zeros((4, *x.shape)))


def blank(n: int) -> Points:
    """Room for what is believed about n clients: nothing yet."""
    return np.zeros((n, KEPT), dtype=POINT).view(np.recarray)


@inlined
def money(rate: float, size: float) -> float:
    """Log of what a size earns at weight 1."""
    return log(max(-expm1(-rate * size), TINY))


@inlined
def wish(s: np.record, x: float, limit: float, rate: float) -> float:
    """What a client on the curve s delivers at log weight x, paid up to the limit."""
    most = min(s.cap, limit)
    if s.exponent == 0:
        return min(max((x - s.b) / rate, 0.0), most)
    k = x + (s.full if limit >= s.cap else money(rate, limit))
    if s.kind < STAIRS:
        return min(s.cap * exp(s.exponent * min(k - s.b, 0.0)), most)
    size = 0.0
    for level in range(LEVELS):
        size = max(size, s.level[level]) if k >= s.at[level] - 1e-9 else size  # a threshold may be missed by rounding
    return min(size, most)


@inlined
def kink(s: np.record, rate: float, level: int) -> float:
    """The log weight from which a client on the curve s delivers its cap, or a lower level of stairs that have it."""
    if s.exponent == 0:
        return s.b + rate * s.cap
    if s.kind < STAIRS:
        return s.b - s.full
    level = level if s.level[level] > 0 else 0
    return s.at[level] - money(rate, s.level[level])
