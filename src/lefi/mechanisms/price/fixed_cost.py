"""The fixed cost of taking part, as the fleet's answers to small offers show it.

rho  fixed cost in thousand samples: delivering l costs a client x (l + rho), x its unit cost. One rho for the fleet,
     because it is the work of the job (q / p of the cost model), not the client; 0 where clients do not count it.
p    lowest price for the whole cap, in [low, high]:  x (cap + rho) = p cap
Refused r for l < cap:  (l + rho) / (cap + rho) >= r l / (high cap).  Taken:  <= r l / (low cap).
"""

import math
from dataclasses import dataclass, field

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.mechanisms.price.brackets import Bracket

SMALL = 0.02  # thousand samples: below this there is none
NEXT_TO_NOTHING = 0.05  # of the widest: no fixed cost, until a refusal shows one
CLOSE = 0.2  # an interval this narrow, relative to 1 + rho, is closed


@dataclass(frozen=True)
class FixedCost:
    """rho is known to lie in [least, most]; answers that contradict this open the other end again.

    some     a small offer was refused at a price that is taken for a large one
    settled  the interval is closed
    blurred  refusing a part may mean the price or the fixed cost
    rho      the fixed cost to reckon with: none until a refusal shows one
    """

    widest: float
    least: float
    most: float
    some: bool = field(init=False)
    tested: bool = field(init=False)
    settled: bool = field(init=False)
    blurred: bool = field(init=False)
    rho: float = field(init=False)

    def __post_init__(self) -> None:
        some, settled = self.least > 0, self.most - self.least <= CLOSE * (1 + self.least)
        tested = some or self.most <= NEXT_TO_NOTHING * self.widest
        between = self.most if settled else math.sqrt(self.least * self.most)
        known = {"some": some, "tested": tested, "settled": settled, "rho": between if some else 0.0}
        for name, value in (known | {"blurred": not settled if some else not tested}).items():
            object.__setattr__(self, name, value)

    def tells(self, cap: FloatArray, size: FloatArray, width: FloatArray) -> BoolArray:
        """Whether an answer about this size, from prices known to this relative width, can halve the interval."""
        with np.errstate(divide="ignore"):
            spread = (cap + self.rho) * (size + self.rho) / (cap - size) * width
        return spread <= (self.most - self.least) / 2

    def whole_price(self, price: FloatArray, size: FloatArray, cap: FloatArray, took: BoolArray) -> FloatArray:
        """What taking or refusing this price for this size says about the price for the whole cap, to be sure."""
        rho = np.where(took, self.least, self.most)
        return price * (1 + rho / cap) / (1 + rho / size)

    def told(self, refused: FloatArray, taken: FloatArray) -> "FixedCost":
        """What is known after answers that set these bounds."""
        least, most = self.least, self.most
        if refused.size and (above := max(float(np.median(refused)), SMALL)) > least:
            least, most = above, most if most > above else self.widest
        if taken.size and (below := max(float(np.median(taken)), SMALL)) < most:
            fallen = 0.0 if below <= NEXT_TO_NOTHING * self.widest else below / 2
            least, most = least if least < below else fallen, below
        return FixedCost(self.widest, least, most)


def bounds(
    bracket: Bracket, cap: FloatArray, price: FloatArray, size: FloatArray, took: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds on rho from clients that were offered `price` for a `size` well below their caps: from below, from above.

    Those who refused say that it is at least so much, those who took that it is at most so much.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        edge = price * size / (np.where(took, bracket.low, bracket.high) * cap)
        bound = (edge * cap - size) / (1 - edge)
    return bound[~took & (edge < 1) & (price >= bracket.high)], bound[took & (edge < 1)]
