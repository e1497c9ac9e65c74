"""One price of money for all: the best offer of each client at the price at which the budget is met.

Those that are thought about have candidates. What the others spend at a price, whom the formula serves, comes on top.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lefi.allocation import allocate, best_response, search
from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.waterfill import candidates, points
from lefi.mechanisms.waterfill.candidates import GRID, NOTHING, TOPS, Candidates, Stakes
from lefi.mechanisms.waterfill.curves import ROUNDING, TINY
from lefi.mechanisms.waterfill.memory import EXACT, SLOTS, WHEN, Answers, Y
from lefi.mechanisms.waterfill.narrowing import fit_all
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

STAGES, CLOSER = 4, 4.0  # looks at candidates, each this much closer than the one before
WINDOW = np.linspace(-1, 1, 9)
DEPTH, HEIGHT = 12.0, 2.0  # log weights from an equal share less DEPTH to the whole budget plus HEIGHT
HORIZON, EARLY = 300.0, 4.0  # rounds for which what a try finds counts; early on so many times the squared round
TRIED = SLOTS // 2  # answers, none like the one before, after which a client is tried no more

Choose = Callable[[FloatArray, FloatArray], tuple[IntArray, float]]
Spend = Callable[[float], float]  # what others, who share the budget, spend at a price of money


class Served(NamedTuple):
    """Offers to clients, and the price of money at which they were chosen."""

    x: FloatArray  # log weight
    limit: FloatArray
    cost: FloatArray  # USD, at most
    price: float


class Solver:
    """Offers to clients, given what is believed about them."""

    def __init__(self, terms: Terms, shared: points.Shared, explore: bool, each: float, budget: float) -> None:
        self.terms, self.shared, self.explore = terms, shared, explore
        self.reach = float(np.log(each)) - DEPTH, float(np.log(budget)) + HEIGHT
        self.horizon = min(HORIZON, EARLY * shared.now**2)
        self.sober = 0.0  # price of money at which nobody tries: tries bid too, and would make what they find worthless

    def solve(self, roster: Roster, answers: Answers, budget: float, others: Spend | None) -> Served:
        """Offers to clients that share a budget with others: candidates wide apart first, then ever closer."""
        choose = sharing(budget, others)
        n, rate = len(roster), roster.rate
        beliefs, rows, none = points.blank(n), np.arange(n), np.zeros(n, dtype=bool)
        # Who was looked at often enough is tried no more: one more look would find a try worth it by chance.
        trying = np.isnan(answers[:, Y, TRIED]) | (answers[:, WHEN, TRIED] < self.shared.jumped)
        x, half = np.empty((n, 1 + GRID + TOPS)), np.empty(n)

        def believe(p: slice) -> None:
            fit_all(answers[p], rate[p], self.shared, none[p], beliefs[p])
            candidates.propose(beliefs[p], rate[p], self.reach, x[p], half[p])

        in_parts(n, believe)
        tops = x[:, 1 + GRID :]
        for stage in range(STAGES):
            gain, found = self._look(roster, beliefs, x, choose, trying)
            pick, price = choose(gain, found.cost)
            if stage == STAGES - 1:
                break
            bargain = np.where(x > NOTHING, (gain - gain[:, :1]) / np.maximum(found.cost, TINY), -np.inf)
            stay = np.where(x[rows, pick] > NOTHING, pick, bargain.argmax(axis=1))
            near = x[rows, stay][:, None] + half[:, None] * WINDOW
            x = np.concatenate([np.full((n, 1), NOTHING), near, tops], axis=1)
            edge = (stage > 0) & ((pick == 1) | (pick == WINDOW.size))  # there it moves on, and comes no closer
            half = np.where(edge, half, half / CLOSER)
        return Served(x[rows, pick], found.limit[rows, pick], found.cost[rows, pick], price)

    def _look(
        self, roster: Roster, beliefs: FloatArray, x: FloatArray, choose: Choose, trying: BoolArray
    ) -> tuple[FloatArray, Candidates]:
        """Gain of candidates, with what their answers are worth later, and what they bring."""
        found, accuracy, rate, n = candidates.blank(x), self.terms.accuracy, roster.rate, len(roster)

        def expect(p: slice) -> None:
            candidates.expect(beliefs[p], rate[p], self.shared, found.part(p))

        in_parts(n, expect)
        gain = np.ascontiguousarray(accuracy(found.size, roster.iid[:, None]))
        self.sober = self.sober or choose(gain, found.cost)[1]
        if self.explore and self.sober > 0:
            floor, high = self.shared.floor, self.shared.high
            rise = accuracy(np.full(n, high), roster.iid) - accuracy(np.full(n, floor), roster.iid)
            worth = np.maximum(rise / (high - floor), 0.0)

            def foresee(p: slice) -> None:
                stakes = Stakes(worth[p], self.sober, self.horizon, trying[p])
                candidates.foresee(beliefs[p], rate[p], self.shared, found.part(p), stakes, gain[p])

            in_parts(n, foresee)
        return gain, found


def sharing(budget: float, others: Spend | None) -> Choose:
    """The clients share this budget with others."""

    def choose(gain: FloatArray, cost: FloatArray) -> tuple[IntArray, float]:
        if others is None:
            return allocate(gain, cost, budget)
        pick = np.empty(gain.shape[0], dtype=np.int64)
        guess = float(gain.max() - gain.min()) * gain.shape[0] / budget

        def spend(price: float) -> float:
            return others(price) + float(best_response(gain, cost, price, pick))

        _, price = search(spend, budget, guess, ROUNDING * guess, EXACT)
        best_response(gain, cost, price, pick)
        return pick, price

    return choose
