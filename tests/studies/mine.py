"""A user's mechanism: the same weight for ever. Not registered by itself."""

import numpy as np

from lefi import CurveOffer, Receipt, Roster, Terms


class Fixed:
    """budget / N for ever."""

    def __init__(self, terms: Terms, *, seed: int = 0, part: float = 1.0) -> None:
        self.terms, self.part = terms, part

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        n = len(roster)
        return CurveOffer(np.full(n, self.part * self.terms.budget / n), roster.rate, np.full(n, self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        pass


class Failing(Fixed):
    """Breaks in its third round."""

    def tell(self, receipt: Receipt) -> None:
        if receipt.round == 3:
            raise ZeroDivisionError("a bug of the user's")
