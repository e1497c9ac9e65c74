"""`random`: the paper's Baseline, a random search over all weights, judged by its best round within the budget."""

from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.simplex import Scale
from lefi.messages import CurveOffer, Receipt, Roster, Terms


@register("random")
class Random:
    """A fresh random split of the budget in every round."""

    payment = "curve"
    tier = "sizes and accuracy"
    searches = True

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.seed = seed
        self.scale = Scale(terms)
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.scale.offer(roster, uniform(key(self.seed, "mechanism", self.round), roster.ids), budget)

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        self.scale.tell(receipt)
        self.round = receipt.round
