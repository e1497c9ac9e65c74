"""The budget of the next round: the constant one that would be best for all rounds that are left.

x  budget per round [USD]     n(x)  rounds that it takes to the target     cost  x n(x), n rounded up
With a target the cheapest x; without one the x whose rounds, as many as the money pays for, end highest. Planned anew
after every round, so what differs from the plan moves the next one. Where the likely curve says that no budget near by
ever gets there, the plan is made with data that carries further: to try costs little, and large rounds cost much.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.pace.progress import Progress
from lefi.mechanisms.pace.supply import Supply
from lefi.models import Learning

STEP = 1.5  # the next budget is at most so many times the last: see how it goes first
SMALL = 1.25  # the same on the paper's curve, where a round that is too large is dear
FALL = 2.0  # and it is at least the least that was paid, divided by this
TRIED = 25  # budgets per plan: neighbours are 6% apart over a factor of 4
SAME = 0.03  # a cost this close to the least is as good: the budget stays, and the inner mechanism knows it
OPEN = 2.0  # standard deviations of j: only where data that carries less far would never do, whatever the rounds
SLACK = 0.75  # of the rounds that are left: a plan that needs them all has none to make good what it got wrong
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
    step: float = STEP

    def budget(self, last: float, most: float) -> Outlook:
        """The plan around the last budget; `most` bounds a round."""
        low, high = self.supply.range
        high = min(last * self.step, high, most)
        tried = [*np.geomspace(min(low / FALL, high), high, TRIED).tolist(), min(last, high)]
        found = [self.outlook(x) for x in tried]
        if not any(np.isfinite(way.rounds) for way in found):
            wider = self.progress.likely(0.0, OPEN)
            found = [self._leads(x, self.supply.sizes(x), wider) for x in tried]
        best, stay = min(found, key=self._worse), found[-1]
        if not np.isfinite(self._worse(best)):  # no budget near by gets there in time: larger ones may
            return self.outlook(min(last * self.step, most))
        return stay if self._worse(stay) <= self._worse(best) * (1 + SAME) else best

    def cheapest(self, most: float, sure: float) -> Outlook:
        """The cheapest way to the target that may be hoped for, with any budget up to `most`.

        `sure`: standard deviations by which data may be worth more than thought.
        """
        curve = self.progress.likely(sure, sure)
        tried = np.geomspace(min(self.supply.range[0], most), most, TRIED).tolist()
        return min((self._leads(x, self.supply.hoped(x), curve, 1.0) for x in tried), key=lambda way: way.cost)

    def outlook(self, x: float) -> Outlook:
        """What x per round leads to."""
        return self._leads(x, self.supply.sizes(x), self.likely)

    @cached_property
    def likely(self) -> Learning:
        """The curve of this job, as far as it has shown."""
        return self.progress.likely()

    def _leads(self, x: float, sizes: FloatArray, curve: Learning, share: float = SLACK) -> Outlook:
        """What x leads to if it buys these sizes, within a share of the rounds that are left."""
        can = min(self.left / x, self.rounds)
        if self.target is None:
            return Outlook(x, can, can * x, self.progress.after(can, sizes, self.iid, curve))
        need = self.progress.rounds_to(self.target, sizes, self.iid, curve)
        need = max(float(np.ceil(need - EASE)), 1.0) if np.isfinite(need) else np.inf
        reached = need <= max(share * self.rounds, 1.0)
        return Outlook(x, need, need * x if reached else np.inf, self.target if reached else np.nan)

    def gain(self, x: float) -> float:
        """Accuracy that the next round adds for each USD."""
        after = self.progress.after(1.0, self.supply.sizes(x), self.iid, self.likely)
        return (after - self.progress.level) / x

    def _worse(self, way: Outlook) -> float:
        """Less is better: the cost, or without a target what lacks to full accuracy."""
        if self.target is None:
            return 1 - way.accuracy
        return way.cost
