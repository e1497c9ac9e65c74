"""Between pledge and commitment: offers are scaled to what was pledged, and broken pledges are remembered.

w  weight asked    D  pledges    s  factor <= 1
A commitment pays at most s w (1 - exp(-rate D)); s = budget / (their sum at s = 1) makes the budget the worst case.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.ledger import Promise
from lefi.messages import CurveOffer, spendable


def rescaled(offer: CurveOffer, pledges: FloatArray, budget: float) -> FloatArray:
    """Weights to commit to; a client that pledged nothing keeps what it was asked at, for that is what it answered."""
    owed = float(offer.payment(pledges).sum())
    s = min(1.0, spendable(budget) / owed) if owed > budget else 1.0
    return np.where(pledges > 0, s * offer.weight, offer.weight)


class Pledges:
    """Who broke a pledge: for some rounds it is paid for no more than it last delivered.

    A pledge sets money aside that others could have earned. One that was made at the weight that then held, and not
    trained at all, is broken. Who drops out without a pledge has promised nothing.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.delivered: dict[str, float] = {}
        self.capped: dict[str, tuple[int, float]] = {}  # name -> (last round of the cap, cap in thousand samples)

    def note(self, promise: Promise, sizes: FloatArray) -> None:
        """Remember a settled round."""
        if promise.pledges is None or promise.weight is None:
            return
        for at in np.flatnonzero(sizes > 0):
            self.delivered[promise.names[at]] = float(sizes[at])
        held = promise.weight >= promise.offer.weight
        for at in np.flatnonzero((promise.pledges > 0) & held & ~(sizes > 0)):
            name = promise.names[at]
            self.capped[name] = (promise.round + self.rounds, self.delivered.get(name, 0.0))

    def caps(self, round: int, names: tuple[str, ...]) -> FloatArray:
        """The most that each client is paid for in this round; infinite where nothing is held against it."""
        caps = np.full(len(names), np.inf)
        for at, name in enumerate(names) if self.capped else ():
            last, cap = self.capped.get(name, (0, np.inf))
            if round <= last:
                caps[at] = cap
        return caps
