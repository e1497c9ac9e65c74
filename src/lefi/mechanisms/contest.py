"""`contest`: prizes for those who deliver most; how many, and how unequal, is found by search under the prior.

k  prizes     F  quantile of the cost     expected accuracy of k: mean over F and the clients' iid of A(x_k(F), pi)
One prize draws the most effort in all, but effort above size_high is worth nothing: so several prizes are better.
Unequal prizes are a mixture of contests with equal ones. From the best k on, shares of the total are moved to other
numbers of prizes as long as that is better.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.mechanisms.catalogue import register
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import PrizeOffer, RankOffer, by_votes

QUANTILES = (np.arange(64) + 0.5) / 64
TRIES = 24  # numbers of prizes that are tried, spread evenly in their logarithm
MOVES = (0.5, 0.2)  # shares of the total that are moved to another number of prizes, coarse ones first
KEPT = 16  # mixtures that are kept: the search takes a hundred times as long as looking one up

Cost = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@register("contest")
class Contest:
    """Rank prizes, equal or not. `cost_low` and `cost_high` bound the marginal costs, in USD per thousand samples.

    `ranking` by what arrived, or by the votes of so many jurors (`jury`), who compete elsewhere (`lefi.offers.votes`).

    >>> market = lefi.scenario("paper", clients=6, payment="pool")
    >>> lefi.make("contest", market.terms).ask(market.fleet.roster)
    RankOffer(6 clients, at most 3 USD)
    """

    payment = "pool"
    tier = "type prior"
    learns = "nobody"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        cost_low: Cost = 3.4e-4,
        cost_high: Cost = 1.38e-3,
        prizes: Literal["equal", "unequal"] = "equal",
        ranking: Literal["sizes", "votes"] = "sizes",
        jury: Annotated[int, Field(ge=1, le=99)] = 5,
    ) -> None:
        if cost_low >= cost_high:
            raise InputError("cost_low", cost_low, f"below cost_high, {cost_high:g}")
        self.terms, self.believed, self.prizes = terms, (cost_low, cost_high), prizes
        self.seed, self.ranking, self.jury, self.round = seed, ranking, jury, 0
        self.mixed: dict[tuple[float, ...], PrizeOffer] = {}  # found before, by money, clients and iid

    def ask(self, roster: Roster, budget: float | None = None) -> RankOffer | PrizeOffer:
        total = spendable(self.terms.in_force(budget))
        counts = np.unique(np.geomspace(1, len(roster), TRIES).round().astype(int))
        iid = np.quantile(roster.iid, (0.1, 0.3, 0.5, 0.7, 0.9))
        offers = (self._offer(total, len(roster), int(k)) for k in counts)
        best = max(offers, key=lambda offer: self._expected(offer, iid))
        if self.prizes == "equal" and self.ranking == "sizes":
            return best
        equal = self.prizes == "equal"
        prizes = self._mixture(best, {best.prizes: 1.0}) if equal else self._unequal(best, counts.tolist(), iid)
        return prizes if self.ranking == "sizes" else by_votes(prizes, roster.ids, self.seed, self.round + 1, self.jury)

    def tell(self, receipt: Receipt[RankOffer]) -> None:
        """Nothing is learned, for the prior is known; but jurors are drawn anew."""
        self.round = receipt.round

    def _offer(self, total: float, clients: int, prizes: int) -> RankOffer:
        return RankOffer(total, prizes, self.believed, np.full(clients, self.terms.size_high))

    def _unequal(self, start: RankOffer, counts: list[int], iid: FloatArray) -> PrizeOffer:
        """The mixture that no move of a share of the total makes better."""
        asked = (start.total, float(len(start)), *iid.tolist())
        if asked not in self.mixed:
            while len(self.mixed) >= KEPT:
                self.mixed.pop(next(iter(self.mixed)))
            self.mixed[asked] = self._searched(start, counts, iid)
        return self.mixed[asked]

    def _searched(self, start: RankOffer, counts: list[int], iid: FloatArray) -> PrizeOffer:
        best = self._mixture(start, {start.prizes: 1.0})
        reached = self._expected(best, iid)
        for move in MOVES:
            for k in counts:
                shares = {old: (1 - move) * w for old, w in zip(best.counts, best.shares, strict=True)}
                tried = self._mixture(start, shares | {k: shares.get(k, 0.0) + move})
                value = self._expected(tried, iid)
                if value > reached:
                    best, reached = tried, value
        return best

    def _mixture(self, start: RankOffer, shares: dict[int, float]) -> PrizeOffer:
        counts = tuple(sorted(shares))
        return PrizeOffer(start.total, counts, tuple(shares[k] for k in counts), self.believed, start.limit)

    def _expected(self, offer: RankOffer | PrizeOffer, iid: FloatArray) -> float:
        low, high = self.believed
        effort = np.maximum(offer.effort(low + QUANTILES * (high - low)), self.terms.size_low)
        return float(self.terms.accuracy(effort[:, None], iid).mean())
