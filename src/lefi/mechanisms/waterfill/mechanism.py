"""`waterfill`: learn every client's whole response curve, solve the allocation exactly, never owe more than the budget.

x  (n, g)  candidate log weights        size, limit (n, g)  what to expect there, what to pay for at most
The cost of an offer is what it can cost at worst, weight (1 - exp(-rate limit)). The chosen costs sum to at most the
budget, so no behaviour of the clients can overspend. docs/waterfill.md has the mathematics.
"""

import numpy as np

from lefi.allocation import allocate
from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.curves import CANDIDATES, NOTHING, blank_view, evaluate, propose
from lefi.mechanisms.waterfill.facts import Found, Known
from lefi.mechanisms.waterfill.large import LargeFleet
from lefi.mechanisms.waterfill.outlook import explain
from lefi.mechanisms.waterfill.tries import prospects
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable
from lefi.threads import in_parts

STAGES = 10  # looks at candidates, each three times closer than the one before, at most
FINEST = 0.12  # share of the first spacing of candidates at which they are close enough
WIDE = 0.2  # log weight: a wider first spacing counts as no more than this
SETTLED = 0.98  # share of the clients whose candidates must be close enough to end the looks
WINDOW = np.linspace(-1, 1, 7)
BESIDE = np.array([-2.5, -1.0, -0.4, 0.4, 1.0])  # log weights beside the window, should the price of money have moved
DEPTH, HEIGHT = 12.0, 2.0  # log weights from an equal share less DEPTH to the whole budget plus HEIGHT
MANY = 2000  # clients from which calm ones keep their offers in most rounds
FREE, MOST = 0.25, 0.8  # share of them that is free in a round; share of all clients from which all are
HELD = 0.97  # share of the budget that kept offers may hold: else all clients are free
ALONE = 1000  # free clients from which each is served by itself, at a price that a sample tells
LOOKS, KNOWN = 24, 3  # steps along the line there, at most; answers below which clients are not worth any
SHIFT = 0.2  # first two offers to a client lie apart by twice this, to tell a plateau from a slope


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("waterfill", market.terms)
    >>> [bool(receipt.paid <= market.terms.budget) for receipt in lefi.play(mechanism, market, rounds=4)]
    [True, True, True, True]
    """

    payment = "curve"
    tier = "sizes"
    learns = "own"

    def __init__(self, terms: Terms, *, seed: int = 0, explore: bool = True) -> None:
        self.terms, self.seed, self.explore = terms, seed, explore
        self.belief: Belief | None = None

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        order, ordered = by_id(roster)  # so that not even rounding depends on how the roster is ordered
        money = self.terms.in_force(budget)
        x, limit = self._plan(ordered, money)
        weight = np.where(x > NOTHING / 2, np.exp(x), 0.0)
        sound = np.isfinite(weight) & np.isfinite(limit)  # a belief gone wrong costs its client a round, nobody else
        weight, limit = np.where(sound, weight, 0.0), np.where(sound, limit, self.terms.size_low)
        offer = within_budget(CurveOffer(weight, ordered.rate, limit), spendable(money) * (1 - 1e-12))
        back = np.argsort(order, kind="stable")
        return offer if ordered is roster else CurveOffer(offer.weight[back], roster.rate, limit[back])

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        offer, each = receipt.offer, self.terms.in_force(receipt.budget) / len(receipt.roster)
        order, roster = by_id(receipt.roster)
        self.belief = self.belief or Belief(np.log(each), self.terms.size_low, self.terms.size_high)
        x = np.log(np.maximum(offer.weight[order], 1e-300))
        taught = offer.weight[order] > 1e-9 * each
        y = np.where(taught, receipt.sizes[order], np.nan)
        self.belief.tell(roster.ids, roster.rate, x, y, offer.limit[order])

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; asking changes nothing."""
        return explain(self, ids)

    def _first(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray]:
        """Nothing is known: equal shares, half of them shifted up and half down."""
        n = len(roster)
        return np.log(budget / n) + SHIFT * self._sign(roster), np.full(n, self.terms.size_high)

    def _sign(self, roster: Roster) -> FloatArray:
        return np.where(uniform(key(self.seed, "mechanism"), roster.ids) < 0.5, 1.0, -1.0)

    def _plan(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client. In a large fleet most of those who do as expected keep their offer.

        Who is free is drawn anew in every round, so that one price of money still comes to rule all.
        """
        if self.belief is None:
            return self._first(roster, budget)
        budget = spendable(budget)
        x, limit, calm = self.belief.held(roster.ids)
        free, held = np.ones(len(roster), dtype=bool), 0.0
        if len(roster) >= MANY and calm.any():
            free = ~calm | (uniform(key(self.seed, "mechanism", self.belief.round), roster.ids) < FREE)
            held = -float((np.exp(x) * np.expm1(-roster.rate * limit))[~free].sum())
            if held > HELD * budget or not 0 < float(free.mean()) < MOST:
                free[:], held = True, 0.0
        at = np.flatnonzero(free)
        some = roster if free.all() else roster.take(at)
        sign = self._sign(some)
        known = self.belief.read(some.ids, some.rate, sign > 0)
        x[at], limit[at] = self._solve(some, known, budget - held)
        if self.belief.heard.max() < 2:
            x[at] -= SHIFT * sign
        return x, limit

    def _solve(self, roster: Roster, known: Known, budget: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of clients that share this budget."""
        assert self.belief is not None
        n = len(roster)
        reach = float(np.log(budget / n)) - DEPTH, float(np.log(budget)) + HEIGHT
        if n >= ALONE:
            looks = LOOKS if self.belief.heard.max() >= KNOWN else 0
            return LargeFleet(roster, known, self.terms, reach, looks).plan(budget, self.explore)
        return self._refine(roster, known, budget, reach)

    def _refine(
        self, roster: Roster, known: Known, budget: float, reach: tuple[float, float]
    ) -> tuple[FloatArray, FloatArray]:
        """Candidates wide apart first, then closer around what was chosen."""
        n = len(roster)
        x, width = np.empty((n, CANDIDATES)), np.empty(n)
        propose(known, self.terms.size_high, reach, x, width, blank_view())
        low, high, accuracy = self.terms.size_low, self.terms.size_high, self.terms.accuracy
        rise = accuracy(np.full(n, high), roster.iid) - accuracy(np.full(n, low), roster.iid)
        price, sober, rows, half, fine = 0.0, 0.0, np.arange(n), width.copy(), False
        for stage in range(STAGES):
            gain, found, sober = self._weigh(roster, known, x, budget, sober, rise)
            cost = found.cost
            price = price or sober
            pick, price = allocate(gain, cost, budget, price, 8 if stage > 1 else 1, 1e-6 if fine else 1e-4)
            if fine or stage == STAGES - 1:
                break
            net = np.where(x > NOTHING, gain - price * cost, -np.inf)
            stay = np.where(x[rows, pick] > NOTHING, pick, net.argmax(axis=1))
            if stage > 0:  # look closer where the choice lies inside the window, else move the window
                inside = (pick > 1) & (pick < WINDOW.size)
                half = np.where(inside, half / 3, np.where(pick > WINDOW.size, width, half))
                fine = float((half < FINEST * np.minimum(width, WIDE)).mean()) > SETTLED
            x = x[rows, stay][:, None] + half[:, None] * WINDOW
            beside = stage == 0 or cost[rows, pick].sum() < 0.98 * budget  # money was left: look further
            far = [x[:, 3:4] + BESIDE] if beside and not fine else []
            x = np.concatenate([np.full((n, 1), NOTHING), x, *far], axis=1)
        chosen, total = x[rows, pick], float(cost[rows, pick].sum())
        if price > 0 and total > 0:
            chosen = chosen + np.log(np.clip(budget / total, 1.0, 1.003))
        return chosen, found.limit[rows, pick]

    def _weigh(
        self, roster: Roster, known: Known, x: FloatArray, budget: float, price: float, rise: FloatArray
    ) -> tuple[FloatArray, Found, float]:
        """Gain of candidates, what they bring, and the sober price of money. `rise` is the gain of the largest size.

        The gain includes what a try may save later, at this price. It is the one at which nobody tries: tries bid for
        money too, and would make what they find worthless.
        """
        floor, high, accuracy = self.terms.size_low, self.terms.size_high, self.terms.accuracy
        found, saving = Found(*(np.empty(x.shape) for _ in range(3))), np.empty(x.shape)

        def look(p: slice) -> None:
            evaluate(x[p], known.take(p), floor, high, found.part(p), blank_view())

        in_parts(len(roster), look)
        gain = accuracy(found.size, roster.iid[:, None])
        price = price or allocate(gain, found.cost, budget, enough=1e-3)[1]
        if price > 0 and self.explore:
            worth = rise / (high - floor) / price

            def look_ahead(p: slice) -> None:
                prospects(x[p], known.take(p), floor, high, worth[p], saving[p], blank_view())

            in_parts(len(roster), look_ahead)
            gain = gain + price * saving
        return gain, found, price


def by_id(roster: Roster) -> tuple[IntArray, Roster]:
    """Where the clients stand in a roster, by id, and the roster in this order."""
    order = np.argsort(roster.ids, kind="stable")
    return order, roster if (np.diff(roster.ids) > 0).all() else roster.take(order)


def within_budget(offer: CurveOffer, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that its worst case stays within the budget."""
    worst = offer.worst_case()
    while worst > budget:
        offer = CurveOffer(offer.weight * (budget / worst * (1 - 1e-12)), offer.rate, offer.limit)
        worst = offer.worst_case()
    return offer
