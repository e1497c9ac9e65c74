"""`uniform`: the same weight for everybody, scaled online until the spend meets the budget.

With equal rates and no caps this is almost the optimum: alpha_n = A'_n / (lambda beta_n) and A' is nearly flat.
"""

import numpy as np

from lefi.mechanisms.registry import register
from lefi.messages import CurveOffer, Receipt, Roster, Terms

TIGHT = 1 + 1e-6  # a bracket this narrow is closed: stay at its lower end
MOST = 1e6  # largest weight, in budgets: clients that give nothing for it will not give anything for twice as much
STALE = 0.99  # spend under this share of the budget at a closed bracket: the fleet has changed, open it again


@register("uniform")
class Uniform:
    """Grow by at most 2 a round until the first overspend, then bisect log weight, staying at the lower end."""

    payment_class = "curve"
    tier = "sizes"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms = terms
        self.weight = 0.0
        self.low, self.high = 0.0, np.inf

    def ask(self, roster: Roster) -> CurveOffer:
        weight = self.weight or self.terms.budget / len(roster)
        clients = len(roster)
        return CurveOffer(np.full(clients, weight), roster.rate, np.full(clients, self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        if not receipt.answered.any():
            return
        assert isinstance(receipt.offer, CurveOffer)
        weight, used = float(receipt.offer.weight[0]), receipt.paid / self.terms.budget
        if used > 1:
            self.high = weight
            self.low = self.low if self.low < weight else 0.0
        else:
            self.low = weight
            closed = self.high <= weight * TIGHT
            self.high = np.inf if (closed and used < STALE) or self.high < weight else self.high
        self.weight = min(self._next(weight, used), MOST * self.terms.budget)

    def _next(self, weight: float, used: float) -> float:
        factor = float(np.clip(1 / used, 0.5, 2)) if used > 0 else 2.0
        if not np.isfinite(self.high) or self.low == 0:
            return weight * factor
        return self.low if self.high <= self.low * TIGHT else float(np.sqrt(self.low * self.high))
