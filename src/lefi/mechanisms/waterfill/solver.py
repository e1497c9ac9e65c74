"""One price of money for all: the best offer of each client at the price at which the budget is met.

The price comes from all clients together, or from SAMPLE of them where there are more. Then each client is served at
this price by itself, block by block, and what a block spends over its part moves the price for the next one.
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

SAMPLE, BLOCK = 1000, 2048  # clients that tell the price, about; clients that are served at a time
STAGES, CLOSER = 4, 4.0  # looks at candidates, each this much closer than the one before
WINDOW = np.linspace(-1, 1, 9)
ATTEMPTS = 8  # to spend what clients leave that jump between two candidates
RAISE = 1.003  # factor by which offers are raised to use up the budget, at most; large fleets aim this far below it
STRIDE = 1.25  # factor by which a block moves the price, at most
DEPTH, HEIGHT = 12.0, 2.0  # log weights from an equal share less DEPTH to the whole budget plus HEIGHT
HORIZON, EARLY = 300.0, 4.0  # rounds for which what a try finds counts; early on so many times the squared round
TRIED = SLOTS // 2  # answers, none like the one before, after which a client is tried no more
LASTS = 0.01  # variance by which a location may drift until what was found is worth nothing

Choose = Callable[[FloatArray, FloatArray, bool], tuple[IntArray, float]]
Read = Callable[[IntArray], Answers]
Spend = Callable[[float], float]  # what others, who share the budget, spend at a price of money


class Served(NamedTuple):
    """Offers to clients, and the price of money at which they were chosen."""

    x: FloatArray  # log weight
    limit: FloatArray
    cost: FloatArray  # USD, at most
    price: float


class Solver:
    """Offers to clients, given what is believed about them."""

    def __init__(
        self, terms: Terms, shared: points.Shared, explore: bool, leaving: float, each: float, budget: float
    ) -> None:
        self.terms, self.shared, self.explore = terms, shared, explore
        self.reach = float(np.log(each)) - DEPTH, float(np.log(budget)) + HEIGHT
        self.horizon = 1 / (1 / min(HORIZON, EARLY * shared.now**2) + shared.drift / LASTS + leaving)
        self.sober = 0.0  # price of money at which nobody tries: tries bid too, and would make what they find worthless

    def solve(self, roster: Roster, read: Read, budget: float, others: Spend | None) -> Served:
        """Offers to clients that share a budget with others; `read` gives the answers of those at positions.

        Some tell the price. At this price the others are served block by block, and what a block spends over its part
        moves the price for the next.
        """
        n = len(roster)
        some = np.arange(0, n, -(-n // SAMPLE))
        first = self._serve(roster.take(some), read(some), sharing(budget, others, some.size / n))
        if some.size == n:
            return first
        budget = min(float(first.cost.sum()) * n / some.size, budget / RAISE)
        x, limit, cost, price = *np.empty((3, n)), first.price
        for start in range(0, n, BLOCK):
            at = np.arange(start, min(start + BLOCK, n))
            x[at], limit[at], cost[at], _ = self._serve(roster.take(at), read(at), at_price(price))
            left, due = budget - float(cost[: at[-1] + 1].sum()), budget * (n - at[-1] - 1) / n
            price *= float(np.clip(due / max(left, TINY), 1 / STRIDE, STRIDE)) if due > 0 else 1.0
        return Served(x, limit, cost, price)

    def _serve(self, roster: Roster, answers: Answers, choose: Choose) -> Served:
        """Offers to clients among which money is shared in this way: candidates wide apart first, then ever closer."""
        n, rate = len(roster), roster.rate
        beliefs, rows, none = points.blank(n), np.arange(n), np.zeros(n, dtype=bool)
        # Who was looked at often enough is tried no more: one more look would find a try worth it by chance.
        trying = np.isnan(answers[:, Y, TRIED]) | (answers[:, WHEN, TRIED] < self.shared.jumped)
        x, half = np.empty((n, 1 + GRID + TOPS)), np.empty(n)

        def believe(p: slice) -> None:
            fit_all(answers[p], rate[p], self.shared, none[p], beliefs.part(p))
            candidates.propose(beliefs.part(p), rate[p], self.reach, x[p], half[p])

        in_parts(n, believe)
        tops = x[:, 1 + GRID :]
        for stage in range(STAGES):
            gain, found = self._look(roster, beliefs, x, choose, trying)
            pick, price = choose(gain, found.cost, True)
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
        self, roster: Roster, beliefs: points.Beliefs, x: FloatArray, choose: Choose, trying: BoolArray
    ) -> tuple[FloatArray, Candidates]:
        """Gain of candidates, with what their answers are worth later, and what they bring."""
        found, accuracy, rate, n = candidates.blank(x), self.terms.accuracy, roster.rate, len(roster)

        def expect(p: slice) -> None:
            candidates.expect(beliefs.part(p), rate[p], self.shared, found.part(p))

        in_parts(n, expect)
        gain = np.ascontiguousarray(accuracy(found.size, roster.iid[:, None]))
        self.sober = self.sober or choose(gain, found.cost, False)[1]
        if self.explore and self.sober > 0:
            floor, high = self.shared.floor, self.shared.high
            rise = accuracy(np.full(n, high), roster.iid) - accuracy(np.full(n, floor), roster.iid)
            worth = np.maximum(rise / (high - floor), 0.0)

            def foresee(p: slice) -> None:
                stakes = Stakes(worth[p], self.sober, self.horizon, trying[p])
                candidates.foresee(beliefs.part(p), rate[p], self.shared, found.part(p), stakes, gain[p])

            in_parts(n, foresee)
        return gain, found


def raised(x: FloatArray, spent: float, budget: float) -> FloatArray:
    """Log weights with what is left of the budget, if it is little, or less where it was passed.

    Much is left where there is money to spare.
    """
    return x + np.log(min(budget / spent, RAISE)) if min(budget, spent) > 0 else x


def sharing(budget: float, others: Spend | None, part: float) -> Choose:
    """The clients, this part of all, share this budget with others."""

    def choose(gain: FloatArray, cost: FloatArray, all_spent: bool) -> tuple[IntArray, float]:
        if others is None:
            return allocate(gain, cost, budget * part, attempts=ATTEMPTS if all_spent else 1)
        pick = np.empty(gain.shape[0], dtype=np.int64)
        guess = float(gain.max() - gain.min()) * gain.shape[0] / (budget * part)

        def spend(price: float) -> float:
            return part * others(price) + float(best_response(gain, cost, price, pick))

        _, price = search(spend, budget * part, guess, ROUNDING * guess, EXACT)
        best_response(gain, cost, price, pick)
        return pick, price

    return choose


def at_price(price: float) -> Choose:
    """Everybody takes the best candidate at this price."""

    def choose(gain: FloatArray, cost: FloatArray, _: bool) -> tuple[IntArray, float]:
        pick = np.empty(gain.shape[0], dtype=np.int64)
        best_response(gain, cost, price, pick)
        return pick, price

    return choose
