"""How much each client can deliver, as far as its answers show it.

A client that takes an offer and delivers less than the limit has shown its cap. The estimate grows while the client
fills it, and stands firm once the same cap was seen twice.
"""

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.notebook import Notebook
from lefi.messages import Terms

TOOK = 0.7  # a client that delivers this share of what it can has taken the offer
SOME = 0.01  # and this share of the limit, while nothing is known of what it can
GROWTH = 1.05
FALL = 0.97  # most that the estimate falls with one short delivery: clients may be noisy


class Caps:
    """The cap of each client, by id."""

    def __init__(self, terms: Terms) -> None:
        self.low, self.high = terms.size_low, terms.size_high
        self.caps, self.shorts, self.firm = Notebook(), Notebook(), Notebook()

    def read(self, ids: IntArray) -> FloatArray:
        return self.caps.read(ids, default=self.high)

    def tell(self, ids: IntArray, limit: FloatArray, sizes: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Note what came back. Returns who took the offer, and for what size it was."""
        cap, known = self.read(ids), self.caps.read(ids, default=-1.0) >= 0
        most = np.minimum(limit, cap)
        share = np.where(known, TOOK, SOME)
        with np.errstate(invalid="ignore"):
            took = sizes - self.low > share * (most - self.low)
        firm = self.firm.read(ids, default=0.0) > 0
        short = took & (sizes < limit * (1 - 1e-9))
        again = short & known & (np.abs(sizes - self.shorts.read(ids, default=-1.0)) <= 1e-9 * sizes)
        fell = np.where(known, np.maximum(sizes, FALL * cap), sizes)
        grew = np.minimum(GROWTH * cap, self.high)
        filled = took & ~short & known & (limit >= cap * (1 - 1e-9)) & ~firm
        new = np.where(again, sizes, np.where(short, fell, np.where(filled, grew, cap)))
        changed = short | filled
        self.caps.write(ids[changed], new[changed])
        self.shorts.write(ids[short], sizes[short])
        self.firm.write(ids[again], np.ones(int(again.sum())))
        return took, np.where(took, np.maximum(np.where(np.isnan(sizes), 0.0, np.minimum(sizes, limit)), np.where(known, most, 0.0)), most)
