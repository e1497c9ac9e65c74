"""`bara`: Bayesian optimisation over all weights at once, as the LeFi paper describes its rival BARA.

x  (t, n + 1)  log of each client's share of the weights relative to an equal share, scaled by 1 / sqrt(n);
               and the log of their sum, relative to the terms' budget
y  (t, 2)      accuracy of the round; log of the share of its weights that it paid, which varies little
EI(x) = (mu - y*) Phi(u) + sigma phi(u),  u = (mu - y*) / sigma,  y* the best round that cost no more than the budget.
The budget is a constraint: EI counts as far as the round is believed to keep it, Phi((log(budget / sum) - mu) / sigma)
with mu and sigma of the share paid.
The logarithm makes the response of rational clients nearly linear in x: the rival gets the better input.
"""

from itertools import groupby
from typing import Annotated, Literal

import numpy as np
import scipy
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, normal, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.matern import Hyper, Process, learned
from lefi.mechanisms.simplex import AIM, MOST, Scale
from lefi.messages import CurveOffer, Receipt, Roster, Terms

WIDTHS = (1.0, 0.3, 0.1, 0.03)  # spread of the search around the best point, in log share
SUM = 0.1  # and that of the log of the sum of weights, relative to it: it is one number, and better known
# Numbers drawn at a time, at most, and candidates at least. With 100 clients or more 64 candidates find what 256 find
# (the same best round, 14 fresh fleets), with 30 clients they find less: 0.65 instead of 0.70 of the oracle's gain.
NUMBERS, FEWEST = 30 * 256, 64
LEAST = 1e-6  # of the weights: a round that paid less counts as this, so that its logarithm is finite


@register("bara")
class Bara:
    """One process over the weight vector, expected improvement within the budget, a search from wide to narrow.

    `start`: the first round has equal shares, or, a cold start, random ones. With `explore` off it stops searching
    after the `initial` rounds and offers its best round again.

    >>> market = lefi.scenario("paper", clients=3)
    >>> mechanism = lefi.make("bara", market.terms, initial=2, candidates=16)
    >>> [round(receipt.accuracy, 3) for receipt in lefi.play(mechanism, market, rounds=4)]
    [0.215, 0.212, 0.215, 0.215]
    """

    payment = "curve"
    tier = "sizes and accuracy"
    learns = "own"
    searches = True

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        initial: Annotated[int, Field(ge=1)] = 5,
        candidates: Annotated[int, Field(ge=8)] = 256,
        start: Literal["equal", "random"] = "equal",
        explore: bool = True,
    ) -> None:
        self.terms, self.seed = terms, seed
        self.initial, self.candidates, self.start, self.explore = initial, candidates, start, explore
        self.scale = Scale(terms)
        # Of each told round: ids (sorted) and log shares. Rounds in a row with the same clients have one array of ids.
        self.points: list[tuple[IntArray, FloatArray]] = []
        self.sums: list[float] = []  # log of each told round's weights in all
        self.values: list[tuple[float, float]] = []  # y
        self.hyper = Hyper()
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        money, order = self.terms.in_force(budget), np.argsort(roster.ids)
        ids = roster.ids[order]
        if len(self.values) < self.initial:
            equal = self.start == "equal" and not self.values
            shares = np.ones(len(roster)) if equal else np.exp(self._random(roster.ids, 1)[0])
            return self.scale.offer(roster, shares, money)
        log_share, log_sum = self._search(ids, money) if self.explore else self._best(self._log_shares(ids), money)[:2]
        weight = np.empty(len(roster))
        weight[order] = np.exp(log_share + log_sum) / len(roster)
        return CurveOffer(weight * self.terms.budget, roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        self.round = receipt.round
        self.scale.tell(receipt)
        if not np.isfinite(receipt.accuracy):
            return
        order = np.argsort(receipt.roster.ids)
        ids = receipt.roster.ids[order]
        if self.points and np.array_equal(self.points[-1][0], ids):
            ids = self.points[-1][0]
        weight = np.maximum(receipt.offer.weight[order], 1e-300)
        self.points.append((ids, np.log(weight / weight.mean())))
        self.sums.append(self._relative(float(weight.sum())))
        self.values.append((receipt.accuracy, float(np.log(max(receipt.paid / weight.sum(), LEAST)))))
        told = len(self.values)
        if told >= self.initial and (told == self.initial or (told & (told - 1)) == 0):
            x = _scaled(self._log_shares(ids), np.array(self.sums))
            self.hyper = learned(x, np.array(self.values), self.hyper)

    def _best(self, points: FloatArray, budget: float) -> tuple[FloatArray, float, float]:
        """Log shares, log sum and accuracy of the best round within the budget; of none, of the cheapest."""
        accuracy, share = np.array(self.values).T
        paid = np.array(self.sums) + share
        within = paid <= self._relative(budget)
        at = int(np.where(within, accuracy, -np.inf).argmax() if within.any() else paid.argmin())
        return points[at], self.sums[at], self.values[at][0]

    def _search(self, ids: IntArray, budget: float) -> tuple[FloatArray, float]:
        """The candidate with the highest expected improvement, looked for ever closer around the best so far."""
        points = self._log_shares(ids)
        best, best_sum, target = self._best(points, budget)
        process = Process(_scaled(points, np.array(self.sums)), np.array(self.values), self.hyper)
        score = -np.inf
        for stage, width in enumerate((0.0, *WIDTHS)):
            draws = self._draw(ids, best, width, stage)
            sums = self._draw_sums(best_sum, budget, width or 1.0, stage, len(draws))
            (mu, share), (sigma, unsure) = (both.T for both in process.predict(_scaled(draws, sums)))
            within = scipy.special.ndtr((self._relative(AIM * budget) - sums - share) / np.maximum(unsure, 1e-12))
            improvement = expected_improvement(mu, sigma, target) * within
            top = int(improvement.argmax())
            if improvement[top] > score:
                score, best, best_sum = float(improvement[top]), draws[top], float(sums[top])
        return best, best_sum

    def _draw(self, ids: IntArray, best: FloatArray, width: float, stage: int) -> FloatArray:
        """Candidates (candidates, n): anywhere on the simplex, or around the best so far."""
        draws = self._tried(ids.size)
        if width == 0:
            return self._random(ids, draws)
        around = best + width * normal(key(self.seed, "mechanism", self.round, stage), ids, draws)
        return np.asarray(around - np.log(np.add.reduce(np.exp(around), axis=1, keepdims=True) / ids.size))

    def _draw_sums(self, best: float, budget: float, width: float, stage: int, draws: int) -> FloatArray:
        """Log sums of the candidates' weights, at least the budget: no client is ever paid its whole weight."""
        stream = key(self.seed, "mechanism sum", self.round, stage)
        around = best + SUM * width * normal(stream, np.arange(draws))
        return np.minimum(np.maximum(around, self._relative(budget)), self._relative(MOST * budget))

    def _tried(self, clients: int) -> int:
        return min(self.candidates, max(NUMBERS // clients, FEWEST))

    def _random(self, ids: IntArray, draws: int) -> FloatArray:
        share = uniform(key(self.seed, "mechanism", self.round), ids, draws)
        return np.asarray(np.log(share / share.mean(axis=1, keepdims=True)))

    def _relative(self, money: float) -> float:
        return float(np.log(money / self.terms.budget))

    def _log_shares(self, ids: IntArray) -> FloatArray:
        """Told points in the coordinates of these clients; who was not there stands at the mean weight."""
        parts = []
        for _, rounds in groupby(self.points, lambda point: id(point[0])):
            told = list(rounds)
            there, x = told[0][0], np.array([log_share for _, log_share in told])
            if not np.array_equal(there, ids):
                at = np.minimum(np.searchsorted(there, ids), there.size - 1)
                x = np.where(there[at] == ids, x[:, at], 0.0)
            parts.append(x)
        return np.concatenate(parts)


def _scaled(log_shares: FloatArray, sums: FloatArray) -> FloatArray:
    """x, as the process sees it."""
    return np.column_stack([log_shares / np.sqrt(log_shares.shape[1]), sums])


def expected_improvement(mu: FloatArray, sigma: FloatArray, target: float) -> FloatArray:
    """EI over the target where the value has this mean and standard deviation."""
    sigma = np.maximum(sigma, 1e-12)
    u = (mu - target) / sigma
    return np.asarray((mu - target) * scipy.special.ndtr(u) + sigma * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi))
