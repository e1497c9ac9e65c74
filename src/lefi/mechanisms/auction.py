"""`auction`: budget-feasible proportional share. Clients bid a unit cost; telling the truth is best for them.

What a client is worth is the accuracy that size_high of it would add. What it can deliver it says with its bid. Nothing
is learned from round to round: a cap that was read off deliveries could be hidden to raise the price.
"""

import numpy as np

from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import AuctionAward, AuctionCall


@register("auction")
class Auction:
    """A call for bids each round; see `lefi.offers.auction` for the rule and why it is truthful.

    >>> market = lefi.scenario("paper", clients=4, payment="auction")
    >>> receipt, = lefi.play(lefi.make("auction", market.terms), market, rounds=1)
    >>> receipt.offer.bids.round(5)
    array([0.00038, 0.00086, 0.0006 , 0.00092])
    """

    payment = "auction"
    tier = "bids"
    learns = "nobody"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms = terms

    def ask(self, roster: Roster, budget: float | None = None) -> AuctionCall:
        A, low = self.terms.accuracy, np.full(len(roster), self.terms.size_low)
        limit = np.full(len(roster), self.terms.size_high)
        value = np.maximum(A(limit, roster.iid) - A(low, roster.iid), 0.0)
        return AuctionCall(spendable(self.terms.in_force(budget)), value, limit, roster.ids)

    def tell(self, receipt: Receipt[AuctionAward]) -> None:
        """Nothing is learned."""
