"""One price of money for all: the best offer of each client at the price at which the budget is met."""

from typing import NamedTuple

import numpy as np

from lefi.allocation import allocate
from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.waterfill import candidates
from lefi.mechanisms.waterfill.candidates import GRID, TOPS, Stakes
from lefi.mechanisms.waterfill.curves import NOTHING, Offers, Shared, blank
from lefi.mechanisms.waterfill.fit import believe
from lefi.mechanisms.waterfill.memory import SLOTS, Answers
from lefi.mechanisms.waterfill.plain import Plain
from lefi.messages import Terms
from lefi.threads import in_parts

STAGES, CLOSER = 5, 4  # looks at candidates, each this much closer than the one before
WINDOW = np.arange(-CLOSER, CLOSER + 1) / CLOSER
DEPTH = 12.0  # log weight: how far from an equal share offers are looked for
HORIZON = 150.0  # rounds for which what a try finds counts; early on fewer, four times the squared round
TRIED = SLOTS // 2  # answers, none like the one before, after which a client is tried no more


class Heard(NamedTuple):
    """Clients that tell the price: those who are thought about, and some of those who are served."""

    ids: IntArray
    iid: FloatArray
    rate: FloatArray
    answers: Answers
    thought: BoolArray  # else it is served, and stands for others
    plain: Plain


class Solver(NamedTuple):
    """Offers to clients, given what is believed about them."""

    terms: Terms
    shared: Shared
    explore: bool

    def solve(self, heard: Heard, clients: int, budget: float) -> tuple[Offers, float]:
        """Offers to those who are heard, and the price of money for all clients."""
        (_, iid, rate, answers, thought, plain), shared = heard, self.shared
        n, low, high, each = rate.size, shared.floor, shared.high, float(np.log(budget / clients))
        stands = np.where(thought, 1.0, (clients - thought.sum()) / max((~thought).sum(), 1))  # for how many
        # Who was looked at often enough is tried no more: one more look would find a try worth it by chance.
        trying = np.isnan(answers.y[:, TRIED]) | (answers.when[:, TRIED] < shared.jumped)
        horizon = np.where(trying & self.explore, min(HORIZON, (2 * shared.now) ** 2), 0.0)
        rise = np.subtract(*(self.terms.accuracy(np.full(n, size), iid) for size in (high, low)))
        worth = np.maximum(rise, 0.0) / (high - low)
        beliefs, rows, x, half = blank(n), np.arange(n), np.empty((n, 1 + GRID + TOPS)), np.empty(n)

        def start(p: slice) -> None:
            beliefs[p] = believe(answers[p], rate[p], shared, plain[p])
            candidates.propose(beliefs[p], rate[p], each - DEPTH, each + DEPTH, x[p], half[p])

        def expect(p: slice) -> None:
            candidates.expect(beliefs[p], rate[p], shared, found.part(p))

        def foresee(p: slice) -> None:
            stakes = Stakes(worth[p], sober, horizon[p])
            candidates.foresee(beliefs[p], rate[p], shared, found.part(p), stakes, gain[p])

        in_parts(n, start)
        tops, mine, sober = x[:, 1 + GRID :], thought[:, None] * 1.0, 0.0
        for stage in range(1, STAGES + 1):
            found = Offers.at(x)
            in_parts(n, expect)
            gain = np.ascontiguousarray(self.terms.accuracy(found.size, iid[:, None]))
            if stage == 1:
                # The price at which nobody tries: tries bid too, and would make what they find worthless.
                pick, sober = allocate(gain * stands[:, None], found.cost * stands[:, None], budget)
                budget -= float((found.cost[rows, pick] * stands)[~thought].sum())  # theirs is not for tries
            if sober > 0:
                in_parts(n, foresee)
            pick, _ = allocate(gain * mine, found.cost * mine, budget, attempts=8)
            if stage < STAGES:
                near = x[rows, np.maximum(pick, 1)][:, None] + half[:, None] * WINDOW
                x, half = np.concatenate([np.full((n, 1), NOTHING), near, tops], axis=1), half / CLOSER
        return Offers._make(column[rows, pick] for column in found), sober
