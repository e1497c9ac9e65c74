"""`flat`: one price for everybody, for ever. The control of the payment class `price`: it cannot learn.

By default the price at which everybody together can just use up the budget, budget / (clients size_high).
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import PriceOffer


@register("flat")
class Flat:
    """A price per thousand samples, and the limit up to which all can be paid it.

    >>> market = lefi.scenario("paper", clients=4, payment="price")
    >>> offer = lefi.make("flat", market.terms, price=0.1).ask(market.fleet.roster)
    >>> offer.price, offer.limit.round(2)
    (array([0.1, 0.1, 0.1, 0.1]), array([5., 5., 5., 5.]))
    """

    payment = "price"
    tier = "sizes"
    learns = "nobody"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        price: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None,
    ) -> None:
        self.terms, self.price = terms, price

    def ask(self, roster: Roster, budget: float | None = None) -> PriceOffer:
        terms = self.terms
        each = spendable(terms.in_force(budget)) / len(roster)
        price = each / terms.size_high if self.price is None else min(self.price, each / max(terms.size_low, 1e-300))
        return PriceOffer(np.full(len(roster), price), np.full(len(roster), min(terms.size_high, each / price)))

    def tell(self, receipt: Receipt[PriceOffer]) -> None:
        """Nothing is learned."""
