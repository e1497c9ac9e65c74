"""What clients have answered: the last SLOTS answers of each, by id, newest first. Clients that left are forgotten."""

from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.table import Table
from lefi.messages import Roster

SLOTS = 16  # answers of a client that are remembered
EXACT = 5e-4  # relative deviation of answers without noise; times size_high: the least deviation of any answer
SAME = 1e-6  # relative: an answer this close to its limit was cut by it; what is this small counts as nothing
FORGET = 50  # rounds without a client after which its answers go; what the fleet learned from them stays

# An answer: log weight, limit and size of the offer it was given to, and the round. Kept in half the memory.
FIELDS = ("x", "limit", "y", "when")
ANSWER, KEPT = (np.dtype([(name, real) for name in FIELDS]) for real in (np.float64, np.float32))
Answers = Any  # records of ANSWER (n, SLOTS); NaN where there is none


def unheard(n: int, kind: np.dtype = ANSWER) -> Answers:
    """Room for the answers of n clients."""
    return np.full((n, SLOTS), np.nan, dtype=kind).view(np.recarray)


class Heard(NamedTuple):
    """Some clients, and what they have answered."""

    ids: IntArray
    iid: FloatArray
    rate: FloatArray
    answers: Answers


class Memory(Table):
    """Answers, the round in which the client was here last, its rate then, and what its offer could cost [USD]."""

    answers: Answers
    seen: IntArray
    rates: FloatArray
    costs: FloatArray

    def __init__(self, forget: int = FORGET) -> None:
        super().__init__(answers=unheard(1, KEPT), seen=np.zeros(1, np.int64), rates=np.zeros(1), costs=np.zeros(1))
        self.forget, self.round = forget, 0

    def read(self, ids: IntArray) -> Answers:
        """The answers of these clients."""
        at, found = self.rows(ids), unheard(ids.size)
        found[at >= 0] = self.answers[at[at >= 0]]
        return found

    def hear(self, roster: Roster, those: BoolArray) -> Heard:
        """Those of a roster, with their answers."""
        return Heard(roster.ids[those], roster.iid[those], roster.rate[those], self.read(roster.ids[those]))

    def note(self, roster: Roster, x: FloatArray, limit: FloatArray, y: FloatArray) -> None:
        """Take in a round; where y is NaN there was no answer."""
        self.round += 1
        at = self.admit(roster.ids)
        self.seen[at], self.rates[at] = self.round, roster.rate
        self.costs[at] = -np.exp(x) * np.expm1(-roster.rate * limit)
        push(self.answers, at, x, limit, y, float(self.round))
        self.keep(self.round - self.seen <= self.forget)


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
