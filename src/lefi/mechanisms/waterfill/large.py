"""Large fleets: the price of money from a sample of the clients, then every client by itself at that price.

One client hardly moves the price, so a thousand tell it to a percent, and what is left over or missing is made up by
scaling. Per client that leaves a search along one line, with no array beside the client's own.
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.allocation import HALVINGS, search
from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.waterfill.facts import Known
from lefi.mechanisms.waterfill.line import LEVELS, Offers, Search, best_offers, blank_room
from lefi.mechanisms.waterfill.tracks import KIND, STEP_KIND
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

SORTED = 8192  # clients that are sorted by what they cost last, to draw a sample from
SAMPLES = (256, 1024)  # clients that tell the price: first the sober one, at which nobody tries, then the real one
ENOUGH = 5e-3  # of the budget may be left over there
MORE = 1.05  # factor by which offers are scaled to meet the budget, at most
DEARER = 1.002  # factor by which the price rises where that does not do, at least


@dataclass(frozen=True, eq=False)
class LargeFleet:
    """Clients to serve, and what is known of them.

    reach: lowest and highest log weight; sober: price of money at which tries are valued, that at which nobody tries
    (0: none are made); looks: steps along the line beyond the candidates, at most.
    """

    roster: Roster
    known: Known
    terms: Terms
    reach: tuple[float, float]
    looks: int
    sober: float = 0.0

    def plan(self, budget: float, explore: bool) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client."""
        some = np.arange(0, len(self.roster), 1 + len(self.roster) // SORTED)
        order = some[np.argsort(self.known.paid[some], kind="stable")]
        sober = self._sampled(budget, order, SAMPLES[0], 0.0)
        fleet = replace(self, sober=sober) if explore else self
        return fleet._within(budget, fleet._sampled(budget, order, SAMPLES[1], sober))

    def _sampled(self, budget: float, order: IntArray, sample: int, guess: float) -> float:
        """The price of money that some of the clients tell, spread evenly over what clients cost last."""
        paid = self.known.paid + max(0.1 * float(self.known.paid.mean()), 1e-300)  # newcomers too will cost
        every = 1 + order.size // sample
        at = np.sort(order[every // 2 :: every])
        return self.take(at).price(budget * float(paid[at].sum() / paid.sum()), guess)

    def _within(self, budget: float, price: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit at this price, scaled to the budget; or at a higher price, where that is much too low.

        Only those on a rise are scaled down: who takes all or nothing would take nothing.
        """
        rises = self.known.tracks[:, 0, KIND] < STEP_KIND
        for _ in range(HALVINGS):
            x, limit, cost = self.offers(price)
            spent, give = float(cost.sum()), float(cost[rises].sum())
            if spent <= budget:
                x += np.log(budget / spent) if spent > budget / MORE else 0.0  # else money is not short
                break
            if spent - budget < (1 - 1 / MORE) * give:
                x += np.where(rises, np.log1p((budget - spent) / give), 0.0)
                break
            price *= max((spent / budget) ** 2, DEARER)
        return x, limit

    def take(self, at: IntArray) -> "LargeFleet":
        return replace(self, roster=self.roster.take(at), known=self.known.take(at))

    def price(self, budget: float, guess: float) -> float:
        """The price of money at which the best offers cost the budget."""
        levels = self.levels(slice(None))
        steep = float(levels.max() - levels.min()) / budget
        least = 1e-9 * steep + 1e-300

        def spend(price: float) -> float:
            return float(self.offers(price, levels).cost.sum())

        return search(spend, budget, guess or steep * len(self.roster), least, ENOUGH)[1]

    def levels(self, p: slice) -> FloatArray:
        sizes = np.linspace(self.terms.size_low, self.terms.size_high, LEVELS)
        return np.ascontiguousarray(self.terms.accuracy(sizes, self.roster.iid[p, None]))

    def offers(self, price: float, levels: FloatArray | None = None) -> Offers:
        """The offers that are worth most at this price."""
        n = len(self.roster)
        found = Offers(*(np.empty(n) for _ in range(3)))
        search = Search(price, self.sober, self.reach, self.terms.size_low, self.terms.size_high, self.looks)

        def best(p: slice) -> None:
            best_offers(
                self.known.take(p), self.levels(p) if levels is None else levels[p], search, found.part(p), blank_room()
            )

        in_parts(n, best)
        return found
