"""What one run comes to: final weights and sizes (Algorithm 1's output), when they settled, what they are worth."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.messages import CurveOffer, Offer, Receipt
from lefi.studies.judge.statistics import settled
from lefi.studies.plan.one_run import Run


@dataclass(frozen=True, eq=False)
class Outcome:
    """The receipt that the run ends with (of a searcher: its best within the budget), and the run in a few numbers."""

    final: Receipt
    weights_settled: int | None
    sizes_settled: int | None
    spent: float  # USD in all rounds
    played: int  # rounds
    done: str | None  # why the mechanism ended it, if it did
    numbers: dict[str, float]  # accuracy and share of the last row, the marks, the worst overspend and its round


def stake(offer: Offer) -> FloatArray:
    """What each client can earn: the weight of the paper's curve, otherwise the payment for all that is paid for."""
    return offer.weight if isinstance(offer, CurveOffer) else offer.payment(offer.limit)


class Follower:
    """Follows a run round by round and keeps only what the outcome needs: a million clients fit in memory."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.final: Receipt | None = None
        self.best = -np.inf
        self.spent = 0.0
        self.last: dict[str, Any] = {}
        self.worst: dict[str, Any] = {"overspend": 0.0, "round": 0}
        self.ids: list[IntArray] = []
        self.weights: list[FloatArray] = []
        self.sizes: list[FloatArray] = []

    def add(self, receipt: Receipt, row: dict[str, Any]) -> None:
        self.last = row
        self.spent += receipt.paid
        if row["overspend"] > self.worst["overspend"]:
            self.worst = row
        self.ids.append(receipt.roster.ids)
        self.weights.append(stake(receipt.offer))
        self.sizes.append(receipt.sizes)
        if not self.run.factory.searches or self._improves(row):
            self.final = receipt

    def outcome(self) -> Outcome:
        told = ("judged", "share", "oracle", "bound", "arbitrary", "best", "first_best")
        assert self.final is not None
        return Outcome(
            final=self.final,
            weights_settled=settled(self._history(self.weights)),
            sizes_settled=settled(self._history(self.sizes)),
            spent=self.spent,
            played=len(self.ids),
            done=self.last["done"],
            numbers={name: self.last[name] for name in told}
            | {"overspend": self.worst["overspend"], "overspend_round": self.worst["round"]},
        )

    def _improves(self, row: dict[str, Any]) -> bool:
        """Whether a searcher keeps this round: its noise-free, budget-scaled accuracy is the best so far."""
        if row["fair"] > self.best:
            self.best = row["fair"]
            return True
        return not np.isfinite(self.best)

    def _history(self, values: list[FloatArray]) -> FloatArray:
        """(rounds, clients) of those clients that were there in every round."""
        if all(ids is self.ids[0] for ids in self.ids):
            return np.stack(values)
        always = self.ids[0]
        for ids in self.ids[1:]:
            always = np.intersect1d(always, ids)
        rows = []
        for ids, row in zip(self.ids, values, strict=True):
            order = np.argsort(ids)
            rows.append(row[order][np.searchsorted(ids[order], always)])
        return np.stack(rows)
