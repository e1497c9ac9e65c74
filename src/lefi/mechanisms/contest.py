"""`contest`: equal prizes for those who deliver most; how many prizes is found by search under the prior.

k  prizes     F  quantile of the cost     expected accuracy of k: mean over F and the clients' iid of A(x_k(F), pi)
One prize draws the most effort in all, but effort above size_high is worth nothing: so several prizes are better.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import RankOffer

QUANTILES = (np.arange(64) + 0.5) / 64
TRIES = 24  # numbers of prizes that are tried, spread evenly in their logarithm

Cost = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@register("contest")
class Contest:
    """Rank prizes. `cost_low` and `cost_high` bound the clients' marginal costs, in USD per thousand samples."""

    payment = "pool"
    tier = "type prior"
    learns = "nobody"

    def __init__(self, terms: Terms, *, seed: int = 0, cost_low: Cost = 3.4e-4, cost_high: Cost = 1.38e-3) -> None:
        if cost_low >= cost_high:
            raise InputError("cost_low", cost_low, f"below cost_high, {cost_high:g}")
        self.terms, self.believed = terms, (cost_low, cost_high)

    def ask(self, roster: Roster, budget: float | None = None) -> RankOffer:
        total = spendable(self.terms.in_force(budget))
        counts = np.unique(np.geomspace(1, len(roster), TRIES).round().astype(int))
        iid = np.quantile(roster.iid, (0.1, 0.3, 0.5, 0.7, 0.9))
        offers = (self._offer(total, len(roster), int(k)) for k in counts)
        return max(offers, key=lambda offer: self._expected(offer, iid))

    def tell(self, receipt: Receipt[RankOffer]) -> None:
        """Nothing is learned: the prior is known."""

    def _offer(self, total: float, clients: int, prizes: int) -> RankOffer:
        return RankOffer(total, prizes, self.believed, np.full(clients, self.terms.size_high))

    def _expected(self, offer: RankOffer, iid: FloatArray) -> float:
        low, high = self.believed
        effort = np.maximum(offer.effort(low + QUANTILES * (high - low)), self.terms.size_low)
        return float(self.terms.accuracy(effort[:, None], iid).mean())
