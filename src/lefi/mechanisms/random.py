"""`random`: the paper's Baseline, a random search over all weights, judged by its best round within the budget."""

from typing import Literal

import numpy as np

from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.simplex import Scale
from lefi.messages import CurveOffer, Receipt, Roster, Terms


@register("random")
class Random:
    """A fresh random split of the budget in every round; the first is equal shares, or, a cold start, random too.

    >>> market = lefi.scenario("paper", clients=3)
    >>> mechanism = lefi.make("random", market.terms, start="random")
    >>> mechanism.ask(market.fleet.roster).weight.round(2)
    array([0.59, 0.35, 0.56])
    """

    payment = "curve"
    tier = "sizes and accuracy"
    learns = "own"
    searches = True

    def __init__(self, terms: Terms, *, seed: int = 0, start: Literal["equal", "random"] = "equal") -> None:
        self.seed, self.start = seed, start
        self.scale = Scale(terms)
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        equal = self.start == "equal" and self.round == 0
        shares = np.ones(len(roster)) if equal else uniform(key(self.seed, "mechanism", self.round), roster.ids)
        return self.scale.offer(roster, shares, budget)

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        self.scale.tell(receipt)
        self.round = receipt.round
