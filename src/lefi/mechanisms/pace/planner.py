"""The budget of the next round: the constant one that would be best for all rounds that are left.

x  budget per round [USD]     n(x)  rounds that it takes to the target     cost  x n(x), n rounded up
With a target the cheapest x; without one the x whose rounds, as many as the money pays for, end highest. Planned anew
after every round, so what differs from the plan moves the next one.
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.pace.progress import Progress
from lefi.mechanisms.pace.supply import Supply

STEP = 1.5  # the next budget is at most so many times the last, and at least this part of the least paid: see first
TRIED = 25  # budgets per plan: neighbours are 6% apart over a factor of 4
SAME = 0.03  # a cost this close to the least is as good: the budget stays, and the inner mechanism knows it
EASE = 0.1  # of a round: what lacks so little of the target is taken as reached


@dataclass(frozen=True)
class Outlook:
    """What one budget per round leads to: further rounds, what they cost, where they end."""

    budget: float
    rounds: float
    cost: float
    accuracy: float


@dataclass(frozen=True)
class Planner:
    """What the plan is made of: the curve so far, what money buys, the target, money and rounds left."""

    progress: Progress
    supply: Supply
    iid: float
    target: float | None
    left: float
    rounds: float

    def budget(self, last: float, most: float) -> Outlook:
        """The plan around the last budget; `most` bounds a round."""
        low, high = self.supply.range
        high = min(last * STEP, high, most)
        tried = np.geomspace(min(low / STEP, high), high, TRIED)
        found = [self.outlook(float(x)) for x in (*tried, min(last, high))]
        best, stay = min(found, key=self._worse), found[-1]
        if not np.isfinite(self._worse(best)):  # no budget near by gets there: larger ones may
            return max(found, key=lambda way: way.budget)
        return stay if self._worse(stay) <= self._worse(best) * (1 + SAME) else best

    def cheapest(self, most: float, sure: float) -> Outlook:
        """The cheapest way to the target that may be hoped for, with any budget up to `most`.

        `sure`: standard deviations by which data may be worth more than thought.
        """
        worth, (low, high) = self.progress.worth(sure), self.supply.range
        tried = np.geomspace(min(low, high, most), min(high, most), TRIED)
        return min((self._leads(x, worth * self.supply.hoped(x)) for x in tried.tolist()), key=lambda way: way.cost)

    def outlook(self, x: float) -> Outlook:
        """What x per round leads to."""
        return self._leads(x, self.progress.worth() * self.supply.sizes(x))

    def _leads(self, x: float, sizes: FloatArray) -> Outlook:
        can = min(self.left / x, self.rounds)
        if self.target is None:
            return Outlook(x, can, can * x, self.progress.after(can, sizes, self.iid))
        need = self.progress.rounds_to(self.target, sizes, self.iid)
        need = max(float(np.ceil(need - EASE)), 1.0) if np.isfinite(need) else np.inf
        reached = need <= self.rounds
        return Outlook(x, need, need * x if reached else np.inf, self.target if reached else np.nan)

    def gain(self, x: float) -> float:
        """Accuracy that the next round adds for each USD."""
        after = self.progress.after(1.0, self.progress.worth() * self.supply.sizes(x), self.iid)
        return (after - self.progress.level) / x

    def _worse(self, way: Outlook) -> float:
        """Less is better: the cost, or without a target what lacks to full accuracy."""
        if self.target is None:
            return 1 - way.accuracy
        return way.cost
