"""`knapsacks`: bandits with knapsacks, primal and dual. No model of a client: a weight is an arm, and only tries tell.

After Badanidiyuru, Kleinberg and Slivkins (2013), with one bandit for each client and one price of money for all.
a  arm: a weight on a fixed grid [USD], or none     N  tries of it by this client     b = budget / clients [USD]
r  accuracy that an answer adds, as a share of the most that any client can add      c  payment / b
radius(v, N) = sqrt(k v / N) + k / N                up = mean r + radius, down = mean c - radius
primal: every client plays the arm with the largest  up - lambda down.
dual:   lambda is multiplied by exp(step / sqrt(round) (wanted - 1)), wanted = mean of down over the arms chosen.
Where what is chosen could pass the budget, a surcharge on what arms are known to cost is raised until it cannot. Known
is what was paid for that arm at most, and before the first try all that it can pay.
"""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from lefi.allocation import search
from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.table import LastValue
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable

BELOW, ABOVE = 3, 2  # octaves of weights around b that are tried: from an eighth to four times
FIRST = 1.0  # lambda before the first round: a b that adds all that can be added is just worth it
LEAST, MOST = 1e-6, 1e6  # lambda stays between them, so that a fleet that takes nothing can be followed again
EQUAL = 1e-9  # arms whose scores differ by less are equal, and one is drawn
WILD = 4.0  # more than so many budgets wanted count as that many: one round must not throw the price out of reach
START, SLIGHT = 0.1, 1e-12  # first surcharge that is tried, in units of lambda; and the least, too small to part equals
ENOUGH = 0.01  # share of the budget that a surcharge may leave


class Tried(NamedTuple):
    """What tries told of one arm, per client: how often, sums of accuracy added and of payments, largest payment."""

    tries: LastValue
    added: LastValue
    paid: LastValue
    largest: LastValue


class Arms(NamedTuple):
    """The arms of a round, (clients, arms); arm 0 is none. `known` is what an arm can cost, in USD."""

    weight: FloatArray
    up: FloatArray
    down: FloatArray
    known: FloatArray


@register("knapsacks")
class Knapsacks:
    """A few weights per client, of which only tries tell, and one price of money that follows what is wanted.

    `arms`: weights in an octave. `radius`: k, how far a single try may be off. `step` of the price of money.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("knapsacks", market.terms)
    >>> [round(receipt.accuracy, 3) for receipt in lefi.play(mechanism, market, rounds=3)]
    [0.206, 0.199, 0.212]
    """

    payment = "curve"
    tier = "sizes"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        arms: Annotated[int, Field(ge=1, le=8)] = 1,
        radius: Annotated[float, Field(ge=0, le=10)] = 0.01,
        step: Annotated[float, Field(gt=0, le=10)] = 1.0,
    ) -> None:
        self.terms, self.seed, self.arms, self.radius, self.step = terms, seed, arms, radius, step
        self.tried: dict[int, Tried] = {}  # by place in the grid
        self.price, self.round = FIRST, 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        money = self.terms.in_force(budget)
        arms, each = self._arms(roster, money), money / len(roster)
        turn, rows = self._turn(roster.ids, self.round + 1), np.arange(len(roster))

        def spend(surcharge: float) -> float:
            return float(arms.known[rows, self._chosen(arms, turn, surcharge / each)].sum())

        fits = spend(0.0) <= spendable(money)
        surcharge = 0.0 if fits else search(spend, spendable(money), START, SLIGHT, ENOUGH)[1]
        chosen = self._chosen(arms, turn, surcharge / each)
        return CurveOffer(arms.weight[rows, chosen], roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        roster, rows = receipt.roster, np.arange(len(receipt.roster))
        arms = self._arms(roster, self.terms.in_force(receipt.budget))
        wanted = float(arms.down[rows, self._chosen(arms, self._turn(roster.ids, receipt.round))].mean())
        if receipt.answered.any():
            stride = self.step / np.sqrt(receipt.round) * (min(wanted, WILD) - 1)
            self.price = float(np.clip(self.price * np.exp(stride), LEAST, MOST))
        self.round = receipt.round
        self._note(receipt)

    def _note(self, receipt: Receipt[CurveOffer]) -> None:
        weight, added = receipt.offer.weight, self._added(receipt.roster, np.nan_to_num(receipt.sizes))
        heard = receipt.answered & (weight > 0)
        place = np.rint(self.arms * np.log2(np.maximum(weight, 1e-300))).astype(np.int64)
        for one in np.unique(place[heard]):
            at = heard & (place == one)
            ids, tried = receipt.roster.ids[at], self._of(int(one))
            sums = ((tried.tries, np.ones(ids.size)), (tried.added, added[at]), (tried.paid, receipt.payments[at]))
            for book, more in sums:
                book.write(ids, book.read(ids, default=0.0) + more)
            tried.largest.write(ids, np.maximum(tried.largest.read(ids, default=0.0), receipt.payments[at]))

    def _of(self, place: int) -> Tried:
        return self.tried.setdefault(place, Tried(LastValue(), LastValue(), LastValue(), LastValue()))

    def _added(self, roster: Roster, sizes: FloatArray) -> FloatArray:
        A, low = self.terms.accuracy, np.full(len(roster), self.terms.size_low)
        return np.maximum(A(sizes, roster.iid) - A(low, roster.iid), 0.0)

    def _arms(self, roster: Roster, money: float) -> Arms:
        """All arms of all clients. Untried ones are taken for the best that they can be."""
        each, n, k = money / len(roster), len(roster), self.radius
        middle = round(self.arms * float(np.log2(each)))
        places = np.arange(middle - BELOW * self.arms, middle + ABOVE * self.arms + 1)
        span = self._added(roster, np.full(n, self.terms.size_high))
        whole = max(float(span.max()), 1e-300)
        weight, up, down, known = np.zeros((4, n, places.size + 1))
        for j, place in enumerate(places, 1):
            weight[:, j] = np.exp2(place / self.arms)
            worst = -weight[:, j] * np.expm1(-roster.rate * self.terms.size_high)
            up[:, j], known[:, j] = span / whole, worst
            tried = self.tried.get(int(place))
            if tried is None:
                continue
            N = tried.tries.read(roster.ids, default=0.0)
            some = np.maximum(N, 1.0)
            r, c = (book.read(roster.ids, default=0.0) / some for book in (tried.added, tried.paid))
            up[:, j] = np.where(N > 0, np.minimum(r / whole + radius(r / whole, some, k), span / whole), up[:, j])
            down[:, j] = np.where(N > 0, np.maximum(c / each - radius(c / each, some, k), 0.0), 0.0)
            known[:, j] = np.where(N > 0, tried.largest.read(roster.ids, default=0.0), worst)
        return Arms(weight, up, down, known)

    def _turn(self, ids: IntArray, round: int) -> FloatArray:
        return uniform(key(self.seed, "mechanism", round), ids)

    def _chosen(self, arms: Arms, turn: FloatArray, surcharge: float = 0.0) -> IntArray:
        """The arm of each client; of equals that are not nothing one is drawn, so that not all try the same at once."""
        score = arms.up - self.price * arms.down - surcharge * arms.known
        best = score >= score.max(axis=1, keepdims=True) - EQUAL
        best[:, 0] &= best.sum(axis=1) == 1
        which = (turn * best.sum(axis=1)).astype(np.int64) + 1
        return np.asarray((np.cumsum(best, axis=1) >= which[:, None]).argmax(axis=1))


def radius(value: FloatArray, tries: FloatArray, k: float) -> FloatArray:
    """How far the mean of so many tries may be off."""
    return np.sqrt(k * value / tries) + k / tries
