"""`auction`: budget-feasible proportional share. Clients bid a unit cost; telling the truth is best for them.

What a client is worth is the accuracy that its whole cap adds; caps are learned from what winners deliver.
"""

import numpy as np

from lefi.mechanisms.capacity import Capacity
from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import AuctionAward, AuctionCall


@register("auction")
class Auction:
    """A call for bids each round; see `lefi.offers.auction` for the rule and why it is truthful."""

    payment = "auction"
    tier = "bids"
    learns = "own"

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms, self.capacity = terms, Capacity(terms)

    def ask(self, roster: Roster, budget: float | None = None) -> AuctionCall:
        limit = self.capacity.read(roster.ids).cap
        A, low = self.terms.accuracy, np.full(len(roster), self.terms.size_low)
        value = np.maximum(A(limit, roster.iid) - A(low, roster.iid), 0.0)
        return AuctionCall(spendable(self.terms.in_force(budget)), value, limit, roster.ids)

    def tell(self, receipt: Receipt[AuctionAward]) -> None:
        won = receipt.answered & (receipt.payments > 0)
        self.capacity.tell(receipt.roster.ids[won], receipt.offer.limit[won], receipt.sizes[won])
