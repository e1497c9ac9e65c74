"""`hierarchy(MECHANISM)`: road-side units lead clusters of clients, and each runs the mechanism inside by itself.

After Chai, Leng, Chen and Zhang (2020), whose utilities could not be read: two levels, and leaders who trade for money.
g  clusters, by a hash of the id    n_g  clients of it here    B_g = budget n_g exp(m_g) / sum n_h exp(m_h)    [USD]
lambda_g  price of money in cluster g: accuracy that the last USD bought, the least over its clients of
          A'(D) / (what a thousand samples more cost);  on the curve that is weight rate, for others payment / D
          (the least, because clients at their cap look as if more money would buy more)
The upper level has one price of money, too: m_g rises by step (log lambda_g - their mean) until all are equal. Then the
clusters share the budget as one fleet would.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register_wrapper
from lefi.mechanisms.mechanism import Mechanism, done
from lefi.mechanisms.parts import joined, part
from lefi.messages import CurveOffer, Receipt, Roster, Terms
from lefi.offers import cut

BINDS = 0.95  # a cluster that can owe less than this share of its money has enough, and another USD buys nothing
STRIDE = 0.5  # most that m_g moves in a round
FAR = 4.0  # and in all: a client of one cluster has at most exp(FAR) times the money of one in the middle
LEAST = 1e-300  # of all weights together, where every cluster is done
SETTLING = 10.0  # rounds after which the step has halved: by then most mechanisms have learned


@register_wrapper("hierarchy")
class Hierarchy:
    """Clusters of clients with money of their own, which flows to where it buys most.

    `clusters`: how many units. `step`: how fast money follows its price; 0 shares it by clients for ever.

    >>> market = lefi.scenario("mixed", clients=6)
    >>> mechanism = lefi.make("hierarchy(uniform, clusters=2)", market.terms)
    >>> [round(receipt.paid, 2) for receipt in lefi.play(mechanism, market, rounds=3)]
    [2.92, 3.0, 2.99]
    """

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Callable[[Terms, int], Mechanism],
        seed: int = 0,
        clusters: Annotated[int, Field(ge=1, le=1000)] = 3,
        step: Annotated[float, Field(ge=0, le=1)] = 0.5,
    ) -> None:
        self.terms, self.seed, self.step = terms, seed, step
        total = None if terms.total is None else terms.total / clusters
        share = replace(terms, budget=terms.budget / clusters, total=total)
        self.inside = [inner(share, seed) for _ in range(clusters)]
        self.money = np.zeros(clusters)  # m_g
        self.met: set[int] = set()  # clusters that have had clients

    @property
    def done(self) -> str | None:
        """When all clusters that have had clients are, in the words of the first; who is before is offered nothing."""
        said = [done(self.inside[g]) for g in sorted(self.met) or range(len(self.inside))]
        return said[0] if all(said) else None

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        clusters = self._clusters(roster.ids)
        shares = self._shares(clusters, self.terms.in_force(budget))
        return joined([(at, self._asked(g, roster.take(at), shares[g])) for g, at in clusters.items()])

    def _asked(self, g: int, roster: Roster, share: float) -> Any:
        if share > 0:
            return self.inside[g].ask(roster, share)
        return cut(self.inside[g].ask(roster, self.terms.budget), 0.0)

    def tell(self, receipt: Receipt) -> None:
        clusters = self._clusters(receipt.roster.ids)
        shares = self._shares(clusters, self.terms.in_force(receipt.budget))
        price = np.full(len(self.inside), np.nan)
        self.met |= clusters.keys()
        for g, at in clusters.items():
            if shares[g] == 0:
                continue
            own = part(receipt, at, self.terms, shares[g])
            self.inside[g].tell(own)
            price[g] = self._price(own, shares[g])
        self._trade(price, receipt.round)

    def _clusters(self, ids: IntArray) -> dict[int, IntArray]:
        """Where the clients of each cluster stand, those without clients left out."""
        drawn = (len(self.inside) * uniform(key(self.seed, "cluster"), ids)).astype(np.int64)
        return {int(g): np.flatnonzero(drawn == g) for g in np.unique(drawn)}

    def _shares(self, clusters: dict[int, IntArray], budget: float) -> dict[int, float]:
        over = [g for g in clusters if done(self.inside[g])]
        weight = {g: 0.0 if g in over else at.size * float(np.exp(self.money[g])) for g, at in clusters.items()}
        return {g: budget * own / max(sum(weight.values()), LEAST) for g, own in weight.items()}

    def _price(self, own: Receipt, money: float) -> float:
        """lambda_g; 0 where money is left over, NaN where nothing can be told."""
        if own.offer.worst_case() < BINDS * money:
            return 0.0
        served = own.answered & (own.payments > 0) & (own.sizes > self.terms.size_low)
        if not served.any():
            return np.nan
        sizes, iid = own.sizes[served], own.roster.iid[served]
        gain = np.maximum(self.terms.accuracy.slope(sizes, iid), 0.0)
        return float((gain / self._cost(own)[served]).min())

    def _cost(self, own: Receipt) -> FloatArray:
        """What a thousand samples more cost the server, per client."""
        if isinstance(own.offer, CurveOffer):
            return own.offer.weight * own.offer.rate
        with np.errstate(invalid="ignore", divide="ignore"):
            return own.payments / own.sizes

    def _trade(self, price: FloatArray, round: int) -> None:
        known = np.flatnonzero(np.isfinite(price))
        if known.size < 2 or not price[known].any():
            return
        rich = float(price[known].max())
        ahead = np.log(np.maximum(price[known], rich * np.exp(-FAR)))
        step = self.step / (1 + round / SETTLING)
        moved = self.money.copy()
        moved[known] += np.clip(step * (ahead - ahead.mean()), -STRIDE, STRIDE)
        self.money = np.clip(moved - moved.mean(), -FAR, FAR)
