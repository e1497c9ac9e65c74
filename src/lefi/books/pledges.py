"""Broken pledges are remembered."""

import numpy as np

from lefi.arrays import FloatArray
from lefi.ledger import Promise


class Pledges:
    """Who broke a pledge: for some rounds it is paid for no more than it last delivered.

    A pledge sets money aside that others could have earned. One that is not trained at all is broken. Who drops out
    without a pledge has promised nothing.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.delivered: dict[str, float] = {}
        self.capped: dict[str, tuple[int, float]] = {}  # name -> (last round of the cap, cap in thousand samples)

    def note(self, promise: Promise, sizes: FloatArray) -> None:
        """Remember a settled round."""
        if promise.pledges is None:
            return
        for at in np.flatnonzero(sizes > 0):
            self.delivered[promise.names[at]] = float(sizes[at])
        for at in np.flatnonzero((promise.pledges > 0) & ~(sizes > 0)):
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
