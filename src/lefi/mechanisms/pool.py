"""`pool`: the server leads with a total, the clients follow by sharing it in proportion to what they deliver.

In equilibrium they deliver more the larger the total (x_n grows with tau), so the leader puts in the whole budget.
It needs to know nothing; the clients need to know each other.
"""

import numpy as np

from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import PoolOffer


@register("pool")
class Pool:
    """The whole budget, to be shared.

    >>> market = lefi.scenario("paper", clients=4, payment="pool")
    >>> lefi.make("pool", market.terms).ask(market.fleet.roster)
    PoolOffer(4 clients, at most 2 USD)
    """

    payment = "pool"
    tier = "sizes"
    learns = "nobody"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms = terms

    def ask(self, roster: Roster, budget: float | None = None) -> PoolOffer:
        return PoolOffer(spendable(self.terms.in_force(budget)), np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt[PoolOffer]) -> None:
        """Nothing is learned: the equilibrium does the work."""
