"""One price of money for all: the best offer of each client at the price at which the budget is met.

Those that are thought about have candidates. What the others spend at a price, whom the formula serves, comes on top.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lefi.allocation import allocate, best_response, search
from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.waterfill import candidates
from lefi.mechanisms.waterfill.candidates import GRID, NOTHING, TOPS, Offers, Stakes
from lefi.mechanisms.waterfill.curves import ROUNDING, TINY, Points
from lefi.mechanisms.waterfill.memory import EXACT, SLOTS, Answers
from lefi.mechanisms.waterfill.narrowing import fit
from lefi.mechanisms.waterfill.points import Shared, blank
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

STAGES, CLOSER = 4, 4  # looks at candidates, each this much closer than the one before
WINDOW = np.arange(-CLOSER, CLOSER + 1) / CLOSER
DEPTH = 12.0  # log weight: how far from an equal share offers are looked for
HORIZON, EARLY = 300.0, 4.0  # rounds for which what a try finds counts; early on so many times the squared round
TRIED = SLOTS // 2  # answers, none like the one before, after which a client is tried no more

Choose = Callable[[FloatArray, FloatArray], tuple[IntArray, float]]
Spend = Callable[[float], float]  # what others, who share the budget, spend at a price of money


class Solver(NamedTuple):
    """Offers to clients, given what is believed about them."""

    terms: Terms
    shared: Shared
    explore: bool

    def solve(self, roster: Roster, answers: Answers, budget: float, others: Spend | None) -> Offers:
        """Offers to clients that share a budget with others: candidates wide apart first, then ever closer."""
        choose = sharing(budget, others)
        n, rate = len(roster), roster.rate
        each = float(np.log(budget / n))
        # Who was looked at often enough is tried no more: one more look would find a try worth it by chance.
        trying = np.isnan(answers.y[:, TRIED]) | (answers.when[:, TRIED] < self.shared.jumped)
        horizon = np.where(trying & self.explore, min(HORIZON, EARLY * self.shared.now**2), 0.0)
        low, high = self.shared.floor, self.shared.high
        rise = np.subtract(*(self.terms.accuracy(np.full(n, size), roster.iid) for size in (high, low)))
        worth = np.maximum(rise, 0.0) / (high - low)
        beliefs, rows, x, half = blank(n), np.arange(n), np.empty((n, 1 + GRID + TOPS)), np.empty(n)

        def believe(p: slice) -> None:
            beliefs[p] = fit(answers[p], rate[p], self.shared)
            candidates.propose(beliefs[p], rate[p], (each - DEPTH, each + DEPTH), x[p], half[p])

        in_parts(n, believe)
        tops, sober = x[:, 1 + GRID :], 0.0
        for stage in range(1, STAGES + 1):
            found = self._expected(roster, beliefs, x)
            gain = np.ascontiguousarray(self.terms.accuracy(found.size, roster.iid[:, None]))
            # The price at which nobody tries: tries bid too, and would make what they find worthless.
            sober = sober or choose(gain, found.cost)[1]
            if sober > 0:
                self._foresee(roster, beliefs, found, Stakes(worth, sober, horizon), gain)
            pick, _ = choose(gain, found.cost)
            if stage < STAGES:
                bargain = np.where(x > NOTHING, (gain - gain[:, :1]) / np.maximum(found.cost, TINY), -np.inf)
                stay = np.where(pick > 0, pick, bargain.argmax(axis=1))
                near = x[rows, stay][:, None] + half[:, None] * WINDOW
                edge = (stage > 1) & ((pick == 1) | (pick == WINDOW.size))  # there it moves on, and comes no closer
                x = np.concatenate([np.full((n, 1), NOTHING), near, tops], axis=1)
                half = half / np.where(edge, 1, CLOSER)
        return Offers._make(column[rows, pick] for column in found)

    def _expected(self, roster: Roster, beliefs: Points, x: FloatArray) -> Offers:
        """What candidates bring."""
        found = Offers(x, *np.empty((3, *x.shape)))
        in_parts(len(x), lambda p: candidates.expect(beliefs[p], roster.rate[p], self.shared, found.part(p)))
        return found

    def _foresee(self, roster: Roster, beliefs: Points, found: Offers, stakes: Stakes, gain: FloatArray) -> None:
        """Add to gain what answers are worth later."""

        def part(p: slice) -> None:
            mine = Stakes(stakes.worth[p], stakes.price, stakes.horizon[p])
            candidates.foresee(beliefs[p], roster.rate[p], self.shared, found.part(p), mine, gain[p])

        in_parts(len(gain), part)


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
