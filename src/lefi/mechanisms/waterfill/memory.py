"""What clients have answered: the last SLOTS answers of each, by id, newest first. Clients that left are forgotten."""

from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.messages import Roster

SLOTS = 16  # answers of a client that are remembered
EXACT = 5e-4  # relative deviation of answers without noise; times size_high: the least deviation of any answer
SAME = 1e-6  # relative: an answer this close to its limit was cut by it; what is this small counts as nothing
FORGET = 50  # rounds without a client after which its answers go; what the fleet learned from them stays

# An answer: log weight, limit and size of the offer it was given to, and the round. Half the memory of doubles.
ANSWER = np.dtype([(name, np.float32) for name in ("x", "limit", "y", "when")])
Answers = Any  # records of ANSWER (n, SLOTS); NaN where there is none


def unheard(n: int) -> Answers:
    """Room for the answers of n clients."""
    return np.full((n, SLOTS), np.nan, dtype=ANSWER).view(np.recarray)


class Memory:
    """Rows of answers, sorted by id: the order in which clients appear leaves no trace."""

    def __init__(self, forget: int = FORGET) -> None:
        self.forget = forget
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.seen: IntArray = np.empty(0, dtype=np.int64)  # round in which the client was here last
        self.rates: FloatArray = np.empty(0)  # with which it was
        self.answers = unheard(0)
        self.round = 0

    def rows(self, ids: IntArray) -> IntArray:
        """Where these ids stand; -1 where one is new."""
        if np.array_equal(ids, self.ids):  # most rounds of a large fleet: to look a million ids up takes long
            return np.arange(ids.size)
        at = np.searchsorted(self.ids, ids)
        found = at < self.ids.size
        found[found] = self.ids[at[found]] == ids[found]
        return np.where(found, at, -1)

    def read(self, ids: IntArray) -> Answers:
        """The answers of these clients."""
        at, found = self.rows(ids), unheard(ids.size)
        found[at >= 0] = self.answers[at[at >= 0]]
        return found

    def rate(self, ids: IntArray) -> FloatArray:
        """The rate that each of these clients had last; the mean where it is new."""
        at, found = self.rows(ids), np.full(ids.size, self.rates.mean() if self.rates.size else 1.0)
        found[at >= 0] = self.rates[at[at >= 0]]
        return found

    def note(self, roster: Roster, x: FloatArray, limit: FloatArray, y: FloatArray) -> None:
        """Take in a round (ids sorted); where y is NaN there was no answer."""
        self.round += 1
        new = self.rows(roster.ids) < 0
        if new.any():
            into = np.searchsorted(self.ids, roster.ids[new])
            self.ids = np.insert(self.ids, into, roster.ids[new])
            self.seen, self.rates = np.insert(self.seen, into, self.round), np.insert(self.rates, into, 0.0)
            self.answers = np.insert(self.answers, into, unheard(1), axis=0)
        at = self.rows(roster.ids)
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
        same = abs(mine[0].x - x[i]) < EXACT and abs(mine[0].y - y[i]) <= EXACT * y[i]
        for j in range(0 if same else place(mine, x[i]), 0, -1):
            mine[j] = mine[j - 1]
        mine[0].x, mine[0].limit, mine[0].y, mine[0].when = x[i], limit[i], y[i], now


@inlined
def place(mine: Answers, x: float) -> int:
    """The first free slot, or else the one of the older half whose weight is closest to x."""
    best, closest = SLOTS - 1, np.inf
    for j in range(SLOTS):
        if np.isnan(mine[j].y):
            return j
        if j >= SLOTS // 2 and abs(mine[j].x - x) < closest:
            best, closest = j, abs(mine[j].x - x)
    return best
