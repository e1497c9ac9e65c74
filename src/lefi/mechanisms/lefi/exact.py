"""The exact allocation for responses that are believed: for the paper's processes, in place of its gradient step."""

from collections.abc import Callable

import numpy as np

from lefi.allocation import allocate
from lefi.arrays import FloatArray
from lefi.messages import Roster
from lefi.models import AccuracyModel

LOW, HIGH = 1e-3, 30.0  # weights to choose from, in units of budget / clients
WIDE, CLOSE = 40, 15  # candidates over all of that, then around the choice

Expect = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def best_weights(roster: Roster, accuracy: AccuracyModel, unit: float, budget: float, expect: Expect) -> FloatArray:
    """Weights with the largest expected accuracy whose expected payments keep the budget.

    `expect` gives, for weights (n, g), the sizes to expect and the sizes to pay for.
    """
    rows, x = np.arange(len(roster)), np.log(unit) + np.linspace(np.log(LOW), np.log(HIGH), WIDE)
    w = np.tile(np.exp(x), (rows.size, 1))
    for _ in range(2):
        size, paid_for = expect(w)
        cost = -w * np.expm1(-roster.rate[:, None] * paid_for)
        pick, _ = allocate(accuracy(size, roster.iid[:, None]), cost, budget, attempts=8)
        chosen = w[rows, pick]
        w = chosen[:, None] * np.exp(np.linspace(-1, 1, CLOSE) * (x[1] - x[0]))
    return np.asarray(chosen)
