"""How good the model of a round is: measured on the server, or as the terms' model of accuracy has it."""

from collections.abc import Callable
from math import isfinite, nan

import numpy as np
from flwr.app import ArrayRecord
from flwr.common import log

from lefi.arrays import FloatArray
from lefi.books import failure
from lefi.ledger import Promise
from lefi.messages import Terms

Measure = Callable[[ArrayRecord], float]


def measured(
    measure: Measure | None,
    arrays: ArrayRecord | None,
    terms: Terms,
    promise: Promise,
    sizes: FloatArray,
    faults: dict[str, str],
) -> float:
    """The accuracy; NaN where the model cannot be measured, which is noted in `faults`."""
    accuracy = float(terms.accuracy(np.nan_to_num(sizes), promise.roster.iid).mean())
    if measure and arrays is not None:
        try:
            accuracy = float(measure(arrays))
        except Exception as error:
            faults["measure"] = failure(f"round {promise.round}: the model cannot be measured", error, log)
            accuracy = nan
    return accuracy if isfinite(accuracy) else nan
