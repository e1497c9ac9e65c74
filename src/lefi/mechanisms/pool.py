"""`pool`: the server leads with a total, the clients follow by sharing it in proportion to what they deliver.

In equilibrium they deliver more the larger the total (x_n grows with tau), so the leader puts in the whole budget.
It needs to know nothing; the clients need to know each other.
"""

import numpy as np

from lefi.mechanisms.registry import register
from lefi.messages import Receipt, Roster, Terms
from lefi.offers import PoolOffer

SAFE = 1 - 1e-9  # a hair under the budget, so that rounding never overspends


@register("pool")
class Pool:
    """The whole budget, to be shared."""

    payment_class = "pool"
    tier = "sizes"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms = terms

    def ask(self, roster: Roster) -> PoolOffer:
        return PoolOffer(self.terms.budget * SAFE, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        """Nothing is learned: the equilibrium does the work."""
