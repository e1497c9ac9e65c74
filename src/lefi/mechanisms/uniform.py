"""`uniform`: the same weight for everybody, scaled online until the spend meets the budget.

With equal rates and no caps this is almost the optimum: alpha_n = A'_n / (lambda beta_n) and A' is nearly flat.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lefi.mechanisms.catalogue import register
from lefi.mechanisms.division import Division, Draft, Outcome, Round, divides
from lefi.messages import CurveOffer, Receipt, Roster, Terms

TIGHT = 1 + 1e-6  # a bracket this narrow is closed: stay at its lower end
MOST = 1e6  # largest weight, in budgets: clients that give nothing for it will not give anything for twice as much
REMEMBERED = 64  # weights: a bisection takes 20; with half of that a budget that comes back is looked for anew
STALE = 0.99  # spend under this share of the budget at a closed bracket: the fleet has changed, open it again


class Point(NamedTuple):
    """What a round showed: at this weight so much is paid in all. USD."""

    weight: float
    paid: float


@register("uniform")
class Uniform:
    """Grow by at most 2 a round until the first overspend, then bisect log weight, staying at the lower end.

    >>> market = lefi.scenario("paper", clients=3)
    >>> mechanism = lefi.make("uniform", market.terms)
    >>> [round(float(receipt.offer.weight[0]), 3) for receipt in lefi.play(mechanism, market, rounds=4)]
    [0.5, 0.501, 0.5, 0.501]
    """

    payment = "curve"
    tier = "sizes"
    learns = "own"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms = terms
        self.points: list[Point] = []  # newest last

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.same(roster, self.weight(self.terms.in_force(budget), len(roster)))

    def same(self, roster: Roster, weight: float) -> CurveOffer:
        """The same weight for all of these clients."""
        clients = len(roster)
        return CurveOffer(np.full(clients, weight), roster.rate, np.full(clients, self.terms.size_high))

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        if not receipt.answered.any():
            return
        self.note(Point(float(receipt.offer.weight[0]), receipt.paid), self.terms.in_force(receipt.budget))

    def note(self, new: Point, budget: float) -> None:
        """Take in what a round under this budget showed."""
        low, high = self._bracket(budget)
        if new.paid > budget:
            wrong = low is not None and low.weight >= new.weight
        else:
            closed = high is not None and high.weight <= new.weight * TIGHT
            wrong = high is not None and (high.weight < new.weight or (closed and new.paid < STALE * budget))
        known = [] if wrong else [point for point in self.points if point.weight != new.weight]
        self.points = [*known[1 - REMEMBERED :], new]

    def weight(self, budget: float, clients: int) -> float:
        """The weight to try under this budget."""
        if not self.points:
            return budget / clients
        low, high = self._bracket(budget)
        if low is None or high is None:
            weight, paid = low or high or self.points[-1]
            step = float(np.clip(budget / paid, 0.5, 2)) if paid > 0 else 2.0
            return min(weight * step, MOST * budget)
        return low.weight if high.weight <= low.weight * TIGHT else float(np.sqrt(low.weight * high.weight))

    def _bracket(self, budget: float) -> tuple[Point | None, Point | None]:
        """The largest weight that kept to the budget, and the smallest that did not."""
        within, beyond = [p for p in self.points if p.paid <= budget], [p for p in self.points if p.paid > budget]
        return max(within, default=None), min(beyond, default=None)


@divides("uniform")
class UniformDivision(Division[Uniform]):
    """The head has the points; a partition has nothing to remember."""

    def begin(self, mechanism: Uniform) -> list[Point]:
        return []

    def decide(self, mechanism: Uniform, head: list[Point], looks: Sequence[Any], round: Round) -> float:
        mechanism.points = list(head)
        return mechanism.weight(round.money, round.clients)

    def draft(self, mechanism: Uniform, roster: Roster, plan: float, own: None, round: Round) -> Draft:
        return Draft(mechanism.same(roster, plan), np.zeros(len(roster)))

    def learn(
        self, mechanism: Uniform, head: list[Point], lessons: Sequence[Any], round: Round, outcome: Outcome
    ) -> list[Point]:
        weight = self.decide(mechanism, head, [], round)
        if outcome.answered:
            mechanism.note(Point(weight, outcome.paid), round.money)
        return mechanism.points
