"""What clients have answered: the last SLOTS answers of each, by id, newest first. Clients that left are forgotten."""

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.messages import Roster

Answers = NDArray[np.float32]  # (n, PARTS, SLOTS); NaN where there is none; half the memory of doubles
PARTS = 4
X, LIMIT, Y, WHEN = range(PARTS)  # of an answer: log weight, limit, size, round
SLOTS = 16  # answers of a client that are remembered
EXACT = 5e-4  # relative deviation of answers without noise; times size_high: the least deviation of any answer
SAME = 1e-6  # relative: an answer this close to its limit was cut by it; what is this small counts as nothing
FORGET = 50  # rounds without a client after which its answers go; what the fleet learned from them stays


class Memory:
    """Rows of answers, sorted by id: the order in which clients appear leaves no trace."""

    def __init__(self, forget: int = FORGET) -> None:
        self.forget = forget
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.seen: IntArray = np.empty(0, dtype=np.int64)  # round in which the client was here last
        self.rates: FloatArray = np.empty(0)  # with which it was
        self.answers: Answers = np.empty((0, PARTS, SLOTS), dtype=np.float32)
        self.round = 0

    def rows(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Where these ids stand, and which of them are known."""
        if self.ids.size == 0:
            return np.zeros(ids.size, dtype=np.int64), np.zeros(ids.size, dtype=bool)
        if np.array_equal(ids, self.ids):  # most rounds of a large fleet: to look a million ids up takes long
            return np.arange(ids.size), np.ones(ids.size, dtype=bool)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        return at, self.ids[at] == ids

    def read(self, ids: IntArray) -> Answers:
        """The answers of these clients."""
        at, known = self.rows(ids)
        found = np.full((ids.size, PARTS, SLOTS), np.nan, dtype=np.float32)
        found[known] = self.answers[at[known]]
        return found

    def newest(self, ids: IntArray) -> FloatArray:
        """The last answer of these clients (n, PARTS); NaN where there is none."""
        at, known = self.rows(ids)
        found = np.full((ids.size, PARTS), np.nan)
        found[known] = self.answers[at[known], :, 0]
        return found

    def rate(self, ids: IntArray) -> FloatArray:
        """The rate that each of these clients had last; the mean where it is new."""
        at, known = self.rows(ids)
        found = np.full(ids.size, self.rates.mean() if self.rates.size else 1.0)
        found[known] = self.rates[at[known]]
        return found

    def note(self, roster: Roster, x: FloatArray, limit: FloatArray, y: FloatArray) -> None:
        """Take in a round (ids sorted); where y is NaN there was no answer."""
        ids = roster.ids
        self.round += 1
        new = ids[~self.rows(ids)[1]]
        if self.ids.size == 0:  # to insert a million rows takes long
            self.ids, self.seen, self.rates = ids, np.full(ids.size, self.round), roster.rate.copy()
            self.answers = np.full((ids.size, PARTS, SLOTS), np.nan, dtype=np.float32)
        elif new.size:
            into = np.searchsorted(self.ids, new)
            self.ids, self.seen = np.insert(self.ids, into, new), np.insert(self.seen, into, self.round)
            self.rates = np.insert(self.rates, into, 0.0)
            self.answers = np.insert(self.answers, into, np.nan, axis=0)
        at, _ = self.rows(ids)
        self.seen[at], self.rates[at] = self.round, roster.rate
        push(self.answers, at, x, limit, y, float(self.round))
        stay = self.round - self.seen <= self.forget
        if not stay.all():
            self.ids, self.seen, self.rates = self.ids[stay], self.seen[stay], self.rates[stay]
            self.answers = self.answers[stay]


@compiled
def push(answers: Answers, at: IntArray, x: FloatArray, limit: FloatArray, y: FloatArray, now: float) -> None:
    """Put each answer first. One like the last replaces it; with no room left, the old one closest to it goes."""
    for i in range(at.size):
        if np.isnan(y[i]):
            continue
        mine = answers[at[i]]
        same = abs(mine[X, 0] - x[i]) < EXACT and abs(mine[Y, 0] - y[i]) <= EXACT * y[i]
        for j in range(0 if same else place(mine, x[i]), 0, -1):
            for part in range(PARTS):
                mine[part, j] = mine[part, j - 1]
        mine[X, 0], mine[LIMIT, 0], mine[Y, 0], mine[WHEN, 0] = x[i], limit[i], y[i], now


@inlined
def place(mine: Answers, x: float) -> int:
    """The first free slot, or else the one of the older half whose weight is closest to x."""
    best, closest = SLOTS - 1, np.inf
    for j in range(SLOTS):
        if np.isnan(mine[Y, j]):
            return j
        if j >= SLOTS // 2 and abs(mine[X, j] - x) < closest:
            best, closest = j, abs(mine[X, j] - x)
    return best
