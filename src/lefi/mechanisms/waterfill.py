"""`waterfill`: learn every client's whole response curve, solve the allocation exactly, never owe more than the budget.

x  (n, g)  candidate log weights        size, limit (n, g)  what to expect there, what to pay for at most
The cost of an offer is what it can cost at worst, weight (1 - exp(-rate limit)). The chosen costs sum to at most the
budget, so no behaviour of the clients can overspend. docs/waterfill.md has the mathematics.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.draws import key, uniform
from lefi.mechanisms.allocation import allocate
from lefi.mechanisms.belief import Belief
from lefi.mechanisms.curves import KINK_COLUMNS, evaluate, fill_kinks, worst_cost
from lefi.mechanisms.mechanism import register
from lefi.messages import CurveOffer, Receipt, Roster, Terms

SAFE = 1 - 1e-9  # of the budget, so that rounding never overspends
COARSE = 32  # log weights looked at first
FINE = 9  # and around the choice, in each refinement
STAGES = 10  # at most
FINEST = 0.02  # log weights this close are close enough
DEPTH, HEIGHT = 12.0, 2.0  # log weights from an equal share less DEPTH to the whole budget plus HEIGHT
HORIZON = 15.0  # rounds for which a saving that is found by a try is expected to last
SHIFT = 0.2  # first two offers to a client lie apart by twice this, to tell a plateau from a slope


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all."""

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms, self.seed = terms, seed
        self.belief: Belief | None = None

    def ask(self, roster: Roster) -> CurveOffer:
        order = np.argsort(roster.ids)
        x, limit = self._solve(roster.take(order))
        weight, limits = np.empty(len(roster)), np.empty(len(roster))
        weight[order], limits[order] = np.exp(x), limit
        return within_budget(CurveOffer(weight, roster.rate, limits), self.terms.budget * SAFE)

    def tell(self, receipt: Receipt) -> None:
        offer = receipt.offer
        assert isinstance(offer, CurveOffer)
        order = np.argsort(receipt.roster.ids)
        roster = receipt.roster.take(order)
        self.belief = self.belief or self._blank(roster)
        x = np.log(np.maximum(offer.weight[order], 1e-300))
        taught = offer.weight[order] > 1e-9 * self.terms.budget / len(roster)
        y = np.where(taught, receipt.sizes[order], np.nan)
        self.belief.tell(roster.ids, roster.rate, x, y, offer.limit[order])

    def _blank(self, roster: Roster) -> Belief:
        return Belief(np.log(self.terms.budget / len(roster)), self.terms.size_low, self.terms.size_high)

    def _first(self, roster: Roster) -> tuple[FloatArray, FloatArray]:
        """Nothing is known: equal shares, half of them shifted up and half down."""
        n = len(roster)
        return np.log(self.terms.budget / n) + SHIFT * self._sign(roster), np.full(n, self.terms.size_high)

    def _sign(self, roster: Roster) -> FloatArray:
        return np.where(uniform(key(self.seed, "mechanism"), roster.ids) < 0.5, 1.0, -1.0)

    def _solve(self, roster: Roster) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client: a coarse choice, refined around what was chosen."""
        if self.belief is None:
            return self._first(roster)
        belief = self.belief
        tracks, rho, full, count = belief.read(roster.ids, roster.rate)
        budget, n = self.terms.budget * SAFE, len(roster)
        shift = -SHIFT * self._sign(roster) if belief.count.max() < 2 else np.zeros(n)
        floor, high = self.terms.size_low, self.terms.size_high
        low, top = np.log(budget / n) - DEPTH, np.log(budget) + HEIGHT
        x = np.empty((n, COARSE + KINK_COLUMNS))
        x[:, :COARSE] = np.linspace(low, top, COARSE)
        x[:, COARSE:] = low
        fill_kinks(tracks, full, roster.rate, x, COARSE)
        width, price = (top - low) / (COARSE - 1), 0.0
        rows = np.arange(n)
        none = self.terms.accuracy(np.full(n, floor), roster.iid)
        rise = (self.terms.accuracy(np.full(n, high), roster.iid) - none) / (high - floor)
        for stage in range(STAGES):
            worth = rise / max(price, 1e-300)
            size, limit, saving = np.empty(x.shape), np.empty(x.shape), np.empty(x.shape)
            evaluate(x, tracks, rho, full, roster.rate, floor, high, worth, size, limit, saving)
            cost = worst_cost(x, roster.rate[:, None], limit)
            gain = self.terms.accuracy(size, roster.iid[:, None])
            costs = np.column_stack([np.zeros(n), cost])
            if stage == 0:  # without a price yet, nothing is known to be worth a try
                pick, price = allocate(np.column_stack([none, gain]), costs, budget, price)
                evaluate(x, tracks, rho, full, roster.rate, floor, high, rise / max(price, 1e-300), size, limit, saving)
            gain = gain + HORIZON * price * saving
            pick, price = allocate(
                np.column_stack([none, gain]), costs, budget, price, attempts=8 if width < 5 * FINEST else 1
            )
            value = gain - price * cost
            stay = np.where(pick > 0, pick - 1, value.argmax(axis=1))
            chosen, limits = x[rows, stay], limit[rows, stay]
            spent = float(costs[rows, pick].sum())
            if stage == STAGES - 1 or width < FINEST:
                break
            # Money that the windows could not absorb: look further before looking closer.
            width = width / 3 if price == 0 or spent > 0.98 * budget or stage > STAGES - 6 else width
            x = chosen[:, None] + width * np.linspace(-1, 1, FINE)
        chosen = np.where(pick > 0, chosen, -700.0)
        total = float(worst_cost(chosen, roster.rate, limits).sum())
        if price > 0 and total > 0:
            chosen = chosen + np.log(np.clip(budget / total, 1.0, 1.003))
        return chosen + shift, limits


def within_budget(offer: CurveOffer, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that its worst case stays within the budget."""
    worst = offer.worst_case()
    while worst > budget:
        offer = CurveOffer(offer.weight * (budget / worst * (1 - 1e-15)), offer.rate, offer.limit)
        worst = offer.worst_case()
    return offer
