"""How much each client can deliver, as far as its answers show it.

A client that takes an offer and delivers less than the limit has shown its cap. The estimate grows while the client
fills it, and stands firm once the same cap was seen twice.
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.table import LastValue
from lefi.messages import Terms

TOOK = 0.7  # a client that delivers this share of what it can has taken the offer
SOME = 0.01  # and this share of the limit, while nothing is known of what it can
HALF = 0.5  # a limit from this share of the cap on shows it
GROWTH = 1.05  # of an estimate that is filled
FALL = 0.97  # most that the estimate falls with one short delivery: clients may be noisy
SAME = 1e-9  # relative


class Shown(NamedTuple):
    """What is known of caps: the estimate, whose cap has shown, and whose is beyond doubt.

    Beyond doubt: the same was seen twice, or it is all that may be delivered.
    """

    cap: FloatArray
    seen: BoolArray
    sure: BoolArray


class Capacity:
    """The cap of each client, by id."""

    def __init__(self, terms: Terms) -> None:
        self.low, self.high = terms.size_low, terms.size_high
        self.caps, self.shorts, self.firm = LastValue(), LastValue(), LastValue()

    @property
    def values(self) -> tuple[LastValue, ...]:
        """All that is noted of clients."""
        return self.caps, self.shorts, self.firm

    def read(self, ids: IntArray) -> Shown:
        cap = self.caps.read(ids, default=-1.0)
        sure = (self.firm.read(ids, default=0.0) > 0) | (cap >= self.high)
        return Shown(np.where(cap >= 0, cap, self.high), cap >= 0, sure)

    def tell(self, ids: IntArray, limit: FloatArray, sizes: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Note what came back. Returns who took the offer, and for what size it was."""
        cap, known, _ = self.read(ids)
        sizes = np.minimum(np.nan_to_num(sizes, nan=self.low), limit)
        most = np.minimum(limit, cap)
        took = sizes - self.low > np.where(known, TOOK, SOME) * (most - self.low)
        large = (limit >= HALF * cap) | (sizes < TOOK * limit)  # otherwise what is missing may be noise
        short = took & (sizes < limit * (1 - SAME)) & large
        self._learn(ids, cap, sizes, short, filled=took & ~short & known & (limit >= cap * (1 - SAME)))
        return took, np.where(took & ~known, sizes, np.maximum(most, np.where(took, sizes, 0.0)))

    def _learn(self, ids: IntArray, cap: FloatArray, sizes: FloatArray, short: BoolArray, filled: BoolArray) -> None:
        last = self.shorts.read(ids, default=np.nan)
        again = short & (np.abs(sizes - last) <= SAME * sizes)
        filled = filled & (self.firm.read(ids, default=0.0) == 0)
        fallen = np.where(np.isnan(last), sizes, np.maximum(sizes, FALL * cap))
        grown = np.minimum(GROWTH * cap, self.high)
        new = np.where(again, sizes, np.where(short, fallen, grown))
        new = np.where(sizes >= self.high, self.high, new)
        changed = short | filled | (sizes >= self.high)
        self.caps.write(ids[changed], new[changed])
        self.shorts.write(ids[short], sizes[short])
        self.firm.write(ids[again], np.ones(int(again.sum())))
