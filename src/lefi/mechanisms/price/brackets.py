"""What each client has taken and refused, and what its price can therefore be.

p  lowest price that a client takes for its whole cap, known to lie in [low, high]     [USD / thousand samples]
Taken at r, for whatever size: p <= r. Refused at r for the whole cap: p >= r. Refused at r for less: p >= r if there
is no fixed cost of taking part. So there are two lows. Where answers contradict each other, the newest stands.
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.table import LastValue

JUMP = 1.0  # first step up from a refused price: to its double
SAME = 1e-9  # prices that differ by less are one price, rounded on the way
NUDGE = 0.02  # first step up from a refused price that was thought safe


class Bracket(NamedTuple):
    """Where the price of each client lies: above `low`, at most `high` (0 and inf where nothing is known).

    next: what to try for a client that refused all so far; usual: what clients take, in the middle, 0 where none has.
    """

    low: FloatArray
    high: FloatArray
    next: FloatArray
    usual: float


class Brackets:
    """The lowest price taken and the highest refused of each client, by id."""

    def __init__(self) -> None:
        self.high, self.low, self.low_whole, self.step = LastValue(), LastValue(), LastValue(), LastValue()

    @property
    def values(self) -> tuple[LastValue, ...]:
        """All that is noted of clients."""
        return self.high, self.low, self.low_whole, self.step

    def read(self, ids: IntArray, whole: bool) -> Bracket:
        """What is known of these clients' prices; `whole`: low only from refusals of the whole cap."""
        low = (self.low_whole if whole else self.low).read(ids, default=0.0)
        above = low * (1 + self.step.read(ids, default=JUMP))
        taken = self.high.values[np.isfinite(self.high.values)]
        usual = float(np.median(taken)) if taken.size else 0.0
        return Bracket(low, self.high.read(ids, default=np.inf), above, usual)

    def reopen(self, ids: IntArray) -> None:
        """Forget what these clients have taken."""
        self.high.write(ids, np.full(ids.size, np.inf))

    def tell(self, ids: IntArray, price: FloatArray, whole: BoolArray, took: BoolArray) -> None:
        """Each of these clients was offered this price, for its whole cap or for less, and took it or not."""
        high = self.high.read(ids, default=np.inf)
        for book, counts in ((self.low, True), (self.low_whole, whole)):
            low = book.read(ids, default=0.0)
            book.write(
                ids, np.where(took, np.where(price <= low, 0.0, low), np.where(counts, np.maximum(low, price), low))
            )
        gone = ~took & whole & (price >= (1 - SAME) * high)
        self.high.write(ids, np.where(took, np.minimum(high, price), np.where(gone, np.inf, high)))
        step = self.step.read(ids, default=JUMP)
        self.step.write(ids, np.where(took, NUDGE, np.minimum(2 * step, JUMP)))
