"""The total of a simulated job: what is left of it, and offers that cannot pass it.

A real job keeps its money in `lefi.books`, in whole units. Here it is counted in floats, a hair below what is left.
What a mechanism asks beyond the budget of a round is still a finding; beyond the total it is cut.
"""

import numpy as np

from lefi.errors import OfferError
from lefi.messages import Offer, Receipt, Terms, spendable
from lefi.offers.cut import SCALED, cut
from lefi.offers.limited import limited

USEFUL = 1e-2  # of a round's budget: for less than that clients deliver next to nothing, round after round


class Total:
    """The money of one job. Without a total in the terms nothing is ever cut."""

    def __init__(self, terms: Terms, spent: float = 0.0) -> None:
        self.terms, self.spent = terms, spent

    @property
    def left(self) -> float:
        """USD that may still be paid; inf without a total."""
        return np.inf if self.terms.total is None else max(spendable(self.terms.total) - self.spent, 0.0)

    @property
    def empty(self) -> bool:
        """Whether too little is left for another round."""
        return self.terms.total is not None and self.left < USEFUL * min(self.terms.budget, self.terms.total)

    def in_force(self, budget: float | None = None) -> float | None:
        """The budget of the next round: that which is given, or what is left; None stands for the terms' own."""
        wanted = self.terms.budget if budget is None else budget
        return budget if wanted <= self.left else self.left

    def within(self, offer: Offer) -> Offer:
        """The offer, cut so that it cannot cost more than what is left."""
        if self.terms.total is None:
            return offer
        least = limited(offer, np.full(len(offer), self.terms.size_high))
        if type(least) in SCALED:
            return cut(least, self.left)
        if not least.worst_case() <= self.left:
            worst = f"a {type(least).__name__} could cost {least.worst_case():.6g} USD"
            raise OfferError(f"{worst}: {self.left:.6g} USD are left of the total")
        return least

    def pay(self, receipt: Receipt) -> None:
        """Take what was paid; an offer of somebody else's that pays more than it said is refused."""
        if not receipt.paid <= self.left:
            raise OfferError(
                f"round {receipt.round} pays {receipt.paid:.6g} USD: {self.left:.6g} are left of the total"
            )
        self.spent += receipt.paid


def ended(terms: Terms, round: int, rounds: int, spent: float) -> str | None:
    """Why a job ended before its rounds did, in words; None where it did not."""
    if terms.total is None or round >= rounds:
        return None
    return f"after round {round} of {rounds}: {spent:.6g} of {terms.total:g} USD are spent, too little is left"
