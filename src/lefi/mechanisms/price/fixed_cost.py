"""The fixed cost of taking part, as the fleet's answers to small offers show it.

rho  fixed cost in thousand samples: delivering l costs a client x (l + rho), x its unit cost. One rho for the fleet,
     because it is the work of the job (q / p of the cost model), not the client; 0 where clients do not count it.
p    lowest price for the whole cap, in [low, high]:  x (cap + rho) = p cap
Refused r for l < cap:  (l + rho) / (cap + rho) >= r l / (high cap).  Taken:  <= r l / (low cap).
"""

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.messages import Terms

SMALL = 0.02  # thousand samples: below this there is none
NEXT_TO_NOTHING = 0.05  # of the widest: no fixed cost, until a refusal shows one
CLOSE = 0.2  # an interval this narrow, relative to 1 + rho, is closed


class FixedCost:
    """rho is known to lie in [least, most]; answers that contradict this open the other end again."""

    def __init__(self, terms: Terms) -> None:
        self.widest = 2 * terms.size_high
        self.least, self.most = 0.0, self.widest

    @property
    def rho(self) -> float:
        """The fixed cost to reckon with: none until a refusal shows one."""
        if self.least == 0:
            return 0.0
        return self.most if self.settled else float(np.sqrt(self.least * self.most))

    @property
    def some(self) -> bool:
        """Whether a small offer was refused at a price that is taken for a large one."""
        return self.least > 0

    @property
    def tested(self) -> bool:
        return self.some or self.most <= NEXT_TO_NOTHING * self.widest

    @property
    def blurred(self) -> bool:
        """Whether refusing a part may mean the price or the fixed cost."""
        return not self.settled if self.some else not self.tested

    @property
    def settled(self) -> bool:
        return self.most - self.least <= CLOSE * (1 + self.least)

    def tells(self, cap: FloatArray, size: FloatArray, width: FloatArray) -> BoolArray:
        """Whether an answer about this size, from prices known to this relative width, can halve the interval."""
        with np.errstate(divide="ignore"):
            spread = (cap + self.rho) * (size + self.rho) / (cap - size) * width
        return spread <= (self.most - self.least) / 2

    def whole_price(self, price: FloatArray, size: FloatArray, cap: FloatArray, took: BoolArray) -> FloatArray:
        """What taking or refusing this price for this size says about the price for the whole cap, to be sure."""
        rho = np.where(took, self.least, self.most)
        return price * (1 + rho / cap) / (1 + rho / size)

    def tell(
        self,
        bracket: tuple[FloatArray, FloatArray],
        cap: FloatArray,
        price: FloatArray,
        size: FloatArray,
        took: BoolArray,
    ) -> None:
        """These clients were offered `price` for a `size` well below their caps."""
        low, high = bracket
        with np.errstate(divide="ignore", invalid="ignore"):
            edge = price * size / (np.where(took, low, high) * cap)
            bound = (edge * cap - size) / (1 - edge)
        refused = bound[~took & (edge < 1) & (price >= high)]
        taken = bound[took & (edge < 1)]
        if refused.size and (above := max(float(np.median(refused)), SMALL)) > self.least:
            self.least = above
            self.most = self.most if self.most > above else self.widest
        if taken.size and (below := max(float(np.median(taken)), SMALL)) < self.most:
            self.most = below
            self.least = (
                self.least if self.least < below else 0.0 if below <= NEXT_TO_NOTHING * self.widest else below / 2
            )
