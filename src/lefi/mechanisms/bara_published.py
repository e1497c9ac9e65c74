"""`bara_published`: BARA as published (Yang et al., IJCAI 2023): a total split over rounds around a reverse auction.

n  clients bought in a round, the one choice; its cost follows from the last bids        a_t  accuracy after round t
1. What n would have added to accuracy in a round: a polynomial of degree 3 through the rounds that were played, by
   Newton's divided differences, 0 at n = 0.
2. Where a policy "n each round" would end: a_t and that much more for each round that the money left pays for. Later
   rounds add less: by the factor at which the increments of the played rounds fall.
3. A Gaussian process over n through the ends of the policies that were played; the next n has the highest
   mu + sqrt(beta) sigma, beta = 2 ln(t^2 pi^2 / (6 delta)).
The source leaves open the degree, the fall of later increments, delta and the first rounds: these are ours.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.matern import Hyper, Process
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import AuctionAward, ReverseCall
from lefi.offers.reverse_auction import ladder

DEGREE = 3
FIRST = (0.25, 0.5, 0.75, 1.0)  # share of the clients in the first rounds, so that a polynomial has points
HYPER = Hyper(1.0, 0.3, 0.1)  # of the process over n / clients
SLOWEST = 0.8  # least factor by which the next increment falls: a jump in the accuracy is not the end
LONGEST = 100  # rounds that are counted on where the terms set no bound


@register("bara_published")
class BaraPublished:
    """Chooses how many clients to buy.

    `first`: budget of the first round, as a share of the total; without a total, of a hundred budgets.

    >>> market = lefi.scenario("paper", clients=5, payment="auction", total=50.0)
    >>> mechanism = lefi.make("bara_published", market.terms)
    >>> [int((receipt.payments > 0).sum()) for receipt in lefi.play(mechanism, market, rounds=4)]
    [4, 2, 3, 4]
    """

    done: str | None = None
    payment = "auction"
    tier = "bids"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        first: Annotated[float, Field(gt=0, le=1)] = 0.02,
        delta: Annotated[float, Field(gt=0, lt=1)] = 0.1,
    ) -> None:
        self.terms, self.delta = terms, delta
        self.next = min(first * (LONGEST * terms.budget if terms.total is None else terms.total), terms.budget)
        self.spent, self.accuracy, self.round = 0.0, 0.0, 0
        self.played: list[tuple[float, float]] = []  # clients bought, what the round added to accuracy
        self.ends: list[tuple[float, float]] = []  # clients bought, where that policy would end

    def ask(self, roster: Roster, budget: float | None = None) -> ReverseCall:
        money = max(min(self.next, self.terms.in_force(budget), self.left), 0.0)
        low, limit = np.full(len(roster), self.terms.size_low), np.full(len(roster), self.terms.size_high)
        A = self.terms.accuracy
        value = np.maximum(A(limit, roster.iid) - A(low, roster.iid), 0.0)
        return ReverseCall(spendable(money), value, limit, roster.ids)

    def tell(self, receipt: Receipt[AuctionAward]) -> None:
        self.round, self.spent = receipt.round, self.spent + receipt.paid
        cost = self._costs(receipt)
        if np.isfinite(receipt.accuracy):
            if (bought := int((receipt.offer.price > 0).sum())) > 0:
                self.played.append((float(bought), receipt.accuracy - self.accuracy))
            self.accuracy = receipt.accuracy
            if bought and bought <= cost.size:
                self.ends.append((float(bought), self._end(bought, float(cost[bought - 1]))))
        if cost.size == 0:
            return
        if self.left < cost[0]:
            self.done = f"the {self.left:.6g} USD that are left buy nobody: the cheapest round costs {cost[0]:.6g} USD"
        self.next = float(cost[self._choose(cost) - 1]) * (1 + 1e-6)

    @property
    def left(self) -> float:
        """Of the total [USD]."""
        return np.inf if self.terms.total is None else max(spendable(self.terms.total) - self.spent, 0.0)

    def _costs(self, receipt: Receipt[AuctionAward]) -> FloatArray:
        """What the first n clients cost by the bids of this round, n = 1, 2, ..."""
        offer = receipt.offer
        call = self.ask(receipt.roster)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = call.value / call.limit
            return ladder(call, offer.bids / worth, worth * offer.limit)[1]

    def _choose(self, cost: FloatArray) -> int:
        """How many clients to buy next, of those numbers that the money pays for."""
        most = max(int(np.searchsorted(cost, self.left, side="right")), 1)
        tried = len(self.ends)
        if tried < len(FIRST):
            return min(max(round(FIRST[tried] * cost.size), 1), most)
        n, end = np.array(self.ends).T
        x = np.arange(1, most + 1) / (cost.size + 1)
        mean, spread = Process(n[:, None] / (cost.size + 1), end, HYPER).predict(x[:, None])
        beta = 2 * np.log(tried**2 * np.pi**2 / (6 * self.delta))
        return int((mean + np.sqrt(beta) * spread).argmax()) + 1

    def _end(self, n: int, cost: float) -> float:
        """Accuracy at which "n each round" would end."""
        rounds = min((self.terms.rounds or LONGEST) - self.round, self.left // max(cost, 1e-300))
        n_tried, added = (np.array(part) for part in zip(*self.played, strict=True))
        fall = _fall(added)
        more = rounds if fall == 1 else (1 - fall ** max(rounds, 0)) / (1 - fall)
        return float(np.clip(self.accuracy + max(more, 0) * fall * increment(n_tried, added, n), 0.0, 1.0))


def _fall(added: FloatArray) -> float:
    """The factor from one increment to the next, as the second half of them against the first shows it."""
    half = len(added) // 2
    if half == 0:
        return 1.0
    early, late = max(float(added[:half].mean()), 1e-12), max(float(added[-half:].mean()), 0.0)
    return float(np.clip((late / early) ** (1 / max(len(added) - half, 1)), SLOWEST, 1.0))


def increment(n: FloatArray, added: FloatArray, at: float) -> float:
    """What buying `at` clients adds: Newton's polynomial through 0 and the newest of the numbers that were tried.

    Never below 0, nor above the most that was seen.
    """
    newest = {float(number): float(value) for number, value in zip(n, added, strict=True)}
    points = [(0.0, 0.0), *list(newest.items())[-DEGREE:]]
    x, c = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    for order in range(1, len(x)):
        c[order:] = (c[order:] - c[order - 1 : -1]) / (x[order:] - x[:-order])
    value = 0.0
    for place in range(len(x) - 1, -1, -1):
        value = value * (at - x[place]) + c[place]
    return float(np.clip(value, 0.0, max(float(added.max()), 0.0)))
