"""`pace`: spends a total over rounds by a plan that it makes anew after every round, around any mechanism.

It learns what money buys from its own rounds and how far they bring the accuracy, and looks up the rest in a measured
learning curve (`lefi.learning`). It says it is done when the target is reached, when it cannot be, when another dollar
buys less than was asked for, or when nothing improves. Where nothing is to be planned (neither target nor total) it
spends the budget of each round and only watches for the end.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.mechanisms.catalogue import register_wrapper
from lefi.mechanisms.pace.planner import SMALL, STEP, Planner
from lefi.mechanisms.pace.progress import Progress
from lefi.mechanisms.pace.supply import CURVED, STRAIGHT, Supply
from lefi.mechanisms.pacing import IMPROVEMENT, PATIENCE, Inner, Pacing, at_rest
from lefi.messages import Receipt, Terms
from lefi.models import learning

IDLE = 10  # rounds in a row in which all that is left bought nothing: it is too little for a round
SURE = 8  # paid rounds before a dollar is found to buy too little
BEYOND = 6  # rounds in a row in which the target looks out of reach, until it is given up
SAVE = 0.5  # of the budget while it does: what is learned then should cost little
HOPE = 1.5  # standard deviations of what data is worth: only a target beyond that is given up
RISE = 1.5  # of the budget while it buys nothing
NEAR = 1e-3  # of the money that is left: as good as all of it
MOST = 1000  # clients with all of size_high: what they do not reach nobody does
LONGEST = 1000  # rounds that are planned for where the terms set no bound


@register_wrapper("pace")
class Pace(Pacing):
    """A plan around a mechanism. `done` says in words why it wants no further round.

    target    accuracy to reach with as little money as possible; without one the most accuracy for the total
    data      the learning curve: a name or a file, see `lefi.learning`
    start     budget of the first round, as a share of the total
    gain      accuracy that another USD must buy, or it ends
    patience  rounds without an improvement by `least` after which it ends

    >>> market = lefi.scenario("paper", clients=3, payment="price", total=20.0, rounds=10, learning="digits")
    >>> mechanism = lefi.make("pace(price, data=digits)", market.terms)
    >>> [f"{receipt.offer.worst_case():.3f} USD" for receipt in lefi.play(mechanism, market, rounds=3)]
    ['0.003 USD', '0.005 USD', '0.006 USD']
    """

    tier = "sizes and accuracy"

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Inner,
        seed: int = 0,
        target: Annotated[float, Field(gt=0, le=1)] | None = None,
        data: str = "cifar10",
        start: Annotated[float, Field(gt=0, le=1)] = 0.002,
        gain: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0,
        patience: Annotated[int, Field(ge=2)] = PATIENCE,
        least: Annotated[float, Field(ge=0, le=1)] = IMPROVEMENT,
    ) -> None:
        self.target, self.gain, self.patience, self.least = target, gain, patience, least
        self.next = start * (terms.budget if terms.total is None else min(terms.budget, terms.total))
        super().__init__(terms, inner, seed, self.next)
        self.planned = target is not None or terms.total is not None
        usual, self.step = (CURVED, SMALL) if self.payment == "curve" else (STRAIGHT, STEP)
        self.progress, self.supply = Progress(learning(data)), Supply(terms.size_high, usual)
        self.iid, self.idle, self.beyond = 1.0, 0, 0
        self.seen: list[float] = []  # accuracy of each round that was paid for
        whole = np.full(MOST, terms.size_high)
        if target is not None and not np.isfinite(self.progress.curve.rounds_to(target, whole, 1.0)):
            self.done = f"the target {target:g} is above all that {data} is known to reach, whatever is paid"

    def money(self, most: float) -> float:
        return self.next if self.planned else most

    def learn(self, receipt: Receipt, budget: float) -> None:
        sizes = np.nan_to_num(receipt.sizes)
        if sizes.sum() > 0:  # a sample counts, not a client
            self.iid = min(float(np.average(receipt.roster.iid, weights=sizes)), 1.0)  # rounding goes above
        self.supply.tell(budget, receipt.paid, sizes)
        self.progress.tell(sizes, receipt.roster.iid, receipt.accuracy)
        self.seen += [receipt.accuracy] if receipt.paid > 0 else []
        most = min(self.terms.budget, self.left)
        self.idle = self.idle + 1 if receipt.paid == 0 and budget >= most * (1 - NEAR) else 0
        self.done = self.done or self._reached(receipt) or self.all_spent() or self._idle() or self._at_rest()
        if self.planned and not self.done:
            self._plan(budget, most, receipt.round)

    def _plan(self, budget: float, most: float, round: int) -> None:
        """The budget of the next round, or why there is none."""
        if not self.supply.known:
            self.next = min(RISE * budget, most)
            return
        rounds = (self.terms.rounds or round + LONGEST) - round
        planner = Planner(self.progress, self.supply, self.iid, self.target, self.left, rounds, self.step)
        hopeless = self.target is not None and planner.cheapest(most, HOPE).cost > self.left
        self.beyond = self.beyond + 1 if hopeless else 0
        self.next = SAVE * budget if hopeless else planner.budget(budget, most).budget
        self.done = self._not_worth_it(planner) or self._out_of_reach(planner, most)

    def _reached(self, receipt: Receipt) -> str | None:
        if self.target is None or not receipt.accuracy >= self.target:
            return None
        return f"the target {self.target:g} is reached: {receipt.accuracy:.4g} for {self.spent:.6g} USD"

    def _idle(self) -> str | None:
        if self.idle < IDLE:
            return None
        return f"{IDLE} rounds with all of {min(self.terms.budget, self.left):.6g} USD bought nothing: it is too little"

    def _at_rest(self) -> str | None:
        seen = np.array(self.seen)
        seen = seen[np.isfinite(seen)]
        if not at_rest(seen, self.patience, self.least):
            return None
        best, last = seen.max(), seen[-self.patience :].max()
        since = "nothing improves" if last >= best - self.least else "the accuracy falls"
        return f"{since}: {best:.4g} at best, {last:.4g} at best in the last {self.patience} rounds"

    def _not_worth_it(self, planner: Planner) -> str | None:
        buys = planner.gain(self.next)
        if self.gain == 0 or buys >= self.gain or len(self.seen) < SURE:
            return None
        return f"another USD buys {buys:.3g} of accuracy, less than the {self.gain:g} that was asked for"

    def _out_of_reach(self, planner: Planner, most: float) -> str | None:
        """A target is given up when even clients whose data is worth clearly more than it seems do not get there."""
        if self.beyond < BEYOND:
            return None
        way = planner.cheapest(most, HOPE)
        asks = f"would take {way.cost:.4g} USD more" if np.isfinite(way.cost) else "is out of reach at any budget"
        return f"the target {self.target} {asks}, and {self.left:.6g} USD are left: they are kept"
