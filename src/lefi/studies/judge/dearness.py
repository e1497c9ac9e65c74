"""What a share is worth: how much more equal weights have to spend for the same accuracy, and points of accuracy.

For each fleet, the accuracy that a mechanism reached (noise-free, weights that overspend scaled to the budget first) is
looked for along equal weights w: D_n(w) rises with w, so the smallest w that reaches it is found by bisection, and
dearness = sum_n w (1 - exp(-beta_n D_n(w))) / budget.  1 = equal weights cost the same, 2 = twice as much.
"""

from typing import Any, Protocol

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.optimum import equal_spend
from lefi.studies.plan.one_run import Run


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


def points_at_stake(study: Study) -> FloatArray:
    """Per seed, oracle minus arbitrary weights in the last round [percentage points]: what a share is a share of."""
    marks = study.final().group_by("seed").agg(pl.col("oracle").first(), pl.col("arbitrary").first()).sort("seed")
    return 100 * (marks["oracle"].to_numpy() - marks["arbitrary"].to_numpy())


def _seed(run: Run) -> int:
    return run.seed
