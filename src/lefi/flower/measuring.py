"""How good the model of a round is: measured on the server, or as the terms' model of accuracy has it."""

from collections.abc import Callable
from math import isfinite, nan
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, MetricRecord
from flwr.common import log

from lefi.arrays import FloatArray
from lefi.books import failure
from lefi.ledger import Promise
from lefi.messages import Terms

Measure = Callable[[ArrayRecord], float]
Evaluate = Callable[[int, ArrayRecord], MetricRecord | None]
METRIC = "accuracy"  # of Flower's server-side evaluation, as its own templates call it


class Evaluation:
    """Flower's evaluation on the server. Rounds keep their numbers over restarts, and each is evaluated once.

    A round is paid before Flower evaluates it, so what was found then is handed to Flower afterwards.
    """

    def __init__(self, evaluate_fn: Evaluate, done: int) -> None:
        self.evaluate_fn, self.done = evaluate_fn, done
        self.last: tuple[int, MetricRecord | None] | None = None  # of the round that was just paid

    def __call__(self, server_round: int, arrays: ArrayRecord) -> MetricRecord | None:
        """What Flower calls; it counts its rounds from 1 at every start."""
        round = self.done + server_round
        known, self.last = self.last, None
        return known[1] if known is not None and known[0] == round else self.evaluate_fn(round, arrays)

    def accuracy(self, round: int, arrays: ArrayRecord) -> float | None:
        """The metric `accuracy` of a round that is being paid; None where it has none."""
        found = self.evaluate_fn(round, arrays)
        self.last = round, found
        value: Any = None if found is None else found.get(METRIC)
        return None if value is None else float(value)


def measured(
    measure: Measure | Evaluation | None,
    arrays: ArrayRecord | None,
    terms: Terms,
    promise: Promise,
    sizes: FloatArray,
    faults: dict[str, str],
) -> float:
    """The accuracy; NaN where the model cannot be measured, which is noted in `faults`."""
    accuracy = float(terms.accuracy(np.nan_to_num(sizes), promise.roster.iid).mean())
    if measure is not None and arrays is not None:
        try:
            if isinstance(measure, Evaluation):
                found = measure.accuracy(promise.round, arrays)
                accuracy = accuracy if found is None else found
            else:
                accuracy = float(measure(arrays))
        except Exception as error:
            faults["measure"] = failure(f"round {promise.round}: the model cannot be measured", error, log)
            accuracy = nan
    return accuracy if isfinite(accuracy) else nan
