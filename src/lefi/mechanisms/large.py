"""Large fleets: the price of money from a sample of the clients, then every client by itself at that price.

One client hardly moves the price, so a thousand tell it to a percent, and what is left over or missing is made up by
scaling. Per client that leaves a search along one line, with no array beside the client's own.

levels (n, LEVELS)  accuracy of a client at sizes that lie evenly between the smallest and the largest; between them a
                    parabola through three of them, so that any accuracy model will do and the paper's is met exactly
"""

from dataclasses import dataclass, replace
from math import exp, expm1

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.allocation import HALVINGS, search
from lefi.mechanisms.belief import Known
from lefi.mechanisms.compiled import compiled, in_parts, inlined
from lefi.mechanisms.curves import (
    CANDIDATES,
    NOTHING,
    SCAN,
    VIEW,
    limit_at,
    propose_one,
    size_at,
    survey,
)
from lefi.mechanisms.tracks import CHANCE, KIND, STEP_KIND, TRACKS
from lefi.mechanisms.tries import hopes, saving_at
from lefi.messages import Roster, Terms

SAMPLES = (256, 1024)  # clients that tell the price: first the sober one, at which nobody tries, then the real one
ENOUGH = 5e-3  # of the budget may be left over there
MORE, DEARER = 1.02, 1.002  # offers are scaled by less than the one to meet the budget; or the price by the other
LEVELS = 17
CLOSE, CLOSER = 0.03, 0.25  # of the first spacing of candidates ends the search along the line; steps there
UNLIKELY = 0.1  # tracks below this probability need no candidates of their own
LOOKS = 24  # there, at most


@dataclass(frozen=True, eq=False)
class LargeFleet:
    """Clients to serve, and what is known of them.

    reach: lowest and highest log weight; sober: price of money at which tries are valued, that at which nobody tries
    (0: none are made).
    """

    roster: Roster
    known: Known
    terms: Terms
    reach: tuple[float, float]
    sober: float = 0.0

    def plan(self, budget: float, explore: bool) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client."""
        order = np.argsort(self.known.paid, kind="stable")
        sober = self._sampled(budget, order, SAMPLES[0], 0.0)
        fleet = replace(self, sober=sober) if explore else self
        return fleet._within(budget, fleet._sampled(budget, order, SAMPLES[1], sober))

    def _sampled(self, budget: float, order: IntArray, sample: int, guess: float) -> float:
        """The price of money that some of the clients tell, spread evenly over what clients cost last."""
        paid = self.known.paid + max(0.1 * float(self.known.paid.mean()), 1e-300)  # newcomers too will cost
        every = 1 + len(self.roster) // sample
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
            return float(self.offers(price, levels)[2].sum())

        return search(spend, budget, guess or steep * len(self.roster), least, ENOUGH)[1]

    def levels(self, p: slice) -> FloatArray:
        sizes = np.linspace(self.terms.size_low, self.terms.size_high, LEVELS)
        return np.ascontiguousarray(self.terms.accuracy(sizes, self.roster.iid[p, None]))

    def offers(self, price: float, levels: FloatArray | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log weight, limit and cost of the offers that are worth most at this price."""
        n, known, rate = len(self.roster), self.known, self.roster.rate
        x, limit, cost = (np.empty(n) for _ in range(3))
        bounds = (*self.reach, self.terms.size_low, self.terms.size_high)

        def best(p: slice) -> None:
            table = self.levels(p) if levels is None else levels[p]
            about = known.tracks[p], known.rho[p], known.full[p], known.last[p], known.patience[p], known.low[p]
            best_offers(*about, rate[p], table, price, self.sober, bounds, x[p], limit[p], cost[p])

        in_parts(n, best)
        return x, limit, cost


@compiled
def best_offers(tracks, rho, full, last, patience, low, rate, levels, price, sober, bounds, x, limit, cost):  # type: ignore[no-untyped-def]
    """Fill log weight, limit and cost (n,) of the offers that are worth most at this price of money.

    bounds = (lowest, highest log weight; smallest, largest size).
    """
    lowest, highest, floor, high = bounds
    view, candidates = np.empty((TRACKS, VIEW)), np.empty(CANDIDATES)
    for i in range(x.size):
        kept = survey(tracks[i], full[i], rate[i], high, view)
        spacing, count = propose_one(view, kept, last[i], lowest, highest, candidates)
        worth = (levels[i, LEVELS - 1] - levels[i, 0]) / (high - floor) / max(sober, 1e-300)
        hope = hopes(view, kept, rho[i], rate[i], floor, high, patience[i], low[i], worth)
        client = (kept, hope, rho[i], full[i], rate[i], floor, high, price, sober, worth)
        scan = count > SCAN  # every other candidate of it will do, since the steps start as long
        best, at, step = -1e300, NOTHING, spacing if scan else 0.5 * spacing
        for j in range(1, count):
            needless = j % 2 == 0 if j <= SCAN else view[(j - 1 - SCAN) // 2, CHANCE] < UNLIKELY
            if candidates[j] > NOTHING and not (scan and needless):
                value, _, _ = value_at(candidates[j], view, levels, i, client)
                best, at = (value, candidates[j]) if value > best else (best, at)
        for _ in range(LOOKS):
            if step < CLOSE * spacing:
                break
            up, _, _ = value_at(at + step, view, levels, i, client)
            down, _, _ = value_at(at - step, view, levels, i, client)
            value, move = (up, step) if up > down else (down, -step)
            if value <= best:  # then to the top of the parabola through the three, and closer around it
                move, step = 0.5 * step * (up - down) / max(2 * best - up - down, 1e-300), CLOSER * step
                value, _, _ = value_at(at + move, view, levels, i, client)
            best, at = (value, at + move) if value > best else (best, at)
        x[i], limit[i], cost[i] = NOTHING, floor, 0.0
        if best > levels[i, 0]:
            x[i] = at
            _, limit[i], cost[i] = value_at(at, view, levels, i, client)


@inlined
def value_at(x, view, levels, i, client):  # type: ignore[no-untyped-def]
    """What an offer is worth, less its cost at the price of money; its limit and its cost."""
    kept, hope, rho, full, rate, floor, high, price, sober, worth = client
    limit = limit_at(x, view, kept, rho, rate, floor, high)
    paid = -expm1(-rate * limit)
    cost = exp(x) * paid
    size = size_at(x, view, kept, full, rate, floor, limit, paid)
    saving = sober * saving_at(x, view, hope, rho, rate, floor, high, worth) if sober > 0 else 0.0
    return level(levels, i, (size - floor) / (high - floor)) + saving - price * cost, limit, cost


@inlined
def level(levels, i, share):  # type: ignore[no-untyped-def]
    """Accuracy of client i at this share of the way from the smallest to the largest size."""
    u = share * (LEVELS - 1)
    j = min(max(int(u + 0.5), 1), LEVELS - 2)
    u -= j
    a, b, c = levels[i, j - 1], levels[i, j], levels[i, j + 1]
    return b + 0.5 * u * (c - a) + 0.5 * u * u * (a - 2 * b + c)
