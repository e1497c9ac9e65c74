"""What a share is worth: how much more equal weights have to spend for the same accuracy, and points of accuracy.

For each fleet, the accuracy that a mechanism reached (noise-free, weights that overspend scaled to the budget first) is
looked for along equal weights w: D_n(w) rises with w, so the smallest w that reaches it is found by bisection, and
dearness = sum_n w (1 - exp(-beta_n D_n(w))) / budget.  1 = equal weights cost the same, 2 = twice as much.
"""

from typing import Any, Protocol

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer
from lefi.studies.plan.one_run import Run
from lefi.world.market import Market

HALVINGS = 60  # of the bracket in log weight
MOST = 1e6  # budgets: clients that give no more for this weight will not for any


class Study(Protocol):
    """A finished study: the rows of its last round, and what its runs say of themselves."""

    @property
    def runs(self) -> list[dict[str, Any]]: ...

    def final(self) -> pl.DataFrame: ...


def dearness(study: Study, mechanism: str) -> FloatArray:
    """Per seed, what equal weights pay for the accuracy of the mechanism's last round, in budgets."""
    last = study.final().filter(pl.col("mechanism") == mechanism).sort("seed")
    reached = dict(zip(last["seed"], last["judged"], strict=True))
    runs = [Run(**told["run"]) for told in study.runs if told["run"]["mechanism"] == mechanism]
    return np.array([equal_spend(run.market(), reached[run.seed]) / run.budget for run in sorted(runs, key=_seed)])


def equal_spend(market: Market, accuracy: float) -> float:
    """The least that equal weights spend to reach the accuracy [USD]; inf where no weight does."""
    low, high = np.log([1e-9 * market.terms.budget, MOST * market.terms.budget])
    if _equal(market, high)[0] < accuracy:
        return np.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _equal(market, middle)[0] >= accuracy else (middle, high)
    return _equal(market, high)[1]


def points_at_stake(study: Study) -> FloatArray:
    """Per seed, oracle minus arbitrary weights in the last round [percentage points]: what a share is a share of."""
    marks = study.final().group_by("seed").agg(pl.col("oracle").first(), pl.col("arbitrary").first()).sort("seed")
    return 100 * (marks["oracle"].to_numpy() - marks["arbitrary"].to_numpy())


def _equal(market: Market, log_weight: float) -> tuple[float, float]:
    """Accuracy and spend of this weight for everybody, noise-free."""
    roster = market.fleet.roster
    everybody = np.ones(len(roster))
    offer = CurveOffer(np.exp(log_weight) * everybody, roster.rate, market.terms.size_high * everybody)
    sizes = market.admit(market.fleet.respond(offer, None))
    return market.accuracy_of(sizes), float(offer.payment(sizes).sum())


def _seed(run: Run) -> int:
    return run.seed
