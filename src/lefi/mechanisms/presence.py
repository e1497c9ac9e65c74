"""When each client was here last, and who of those that left is forgotten: a job that never ends must not grow."""

import numpy as np

from lefi.arrays import IntArray
from lefi.mechanisms.table import LastValue

AWAY = 20_000  # clients that left and are remembered: 50 MB of `lefi` at most; with half of that fewer are known again
SLACK = 20  # forgetting moves all arrays, so it waits until the bound is passed by its twentieth


class Presence:
    """At most `away` clients that are not here are remembered: those who were here last."""

    def __init__(self, away: int) -> None:
        self.away = away
        self.last = LastValue()  # round in which each client was here

    def note(self, ids: IntArray, round: int) -> IntArray:
        """These clients are here in this round. Returns the ids to forget, in order; of equals the lower ones go."""
        self.last.write(ids, np.full(ids.size, float(round)))
        extra = self.last.ids.size - ids.size - self.away
        if extra <= self.away // SLACK:
            return np.empty(0, dtype=np.int64)
        oldest = np.argsort(self.last.values, kind="stable")[:extra]  # ids are sorted, and the sort keeps their order
        gone = np.sort(self.last.ids[oldest])
        self.last.forget(gone)
        return gone
