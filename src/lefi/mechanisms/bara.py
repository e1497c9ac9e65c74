"""`bara`: Bayesian optimisation over all weights at once, as the LeFi paper describes its rival BARA.

x  (t, n + 1)  log of each client's share of the budget relative to an equal share, scaled by 1 / sqrt(n);
               and the log of the budget itself, relative to the terms' own
y  (t,)        accuracy of the round
EI(x) = (mu - y*) Phi(u) + sigma phi(u),  u = (mu - y*) / sigma,  y* the best round that cost no more than the budget.
The logarithm makes the response of rational clients nearly linear in x: the rival gets the better input.
"""

from typing import Annotated, Protocol

import numpy as np
import scipy
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, normal, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.matern import Hyper, Process, learned
from lefi.mechanisms.simplex import Scale
from lefi.messages import CurveOffer, Receipt, Roster, Terms

WIDTHS = (1.0, 0.3, 0.1, 0.03)  # spread of the search around the best point, in log share


@register("bara")
class Bara:
    """One process over the weight vector, expected improvement, a search from wide to narrow."""

    payment = "curve"
    tier = "sizes and accuracy"
    searches = True

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        initial: Annotated[int, Field(ge=1)] = 5,
        candidates: Annotated[int, Field(ge=8)] = 256,
    ) -> None:
        self.terms, self.seed = terms, seed
        self.initial, self.candidates = initial, candidates
        self.scale = Scale(terms)
        self.points: list[tuple[IntArray, FloatArray]] = []  # ids (sorted) and log shares of each told round
        self.budgets: list[float] = []  # log of each told round's, relative to the terms' own
        self.values: list[float] = []
        self.paid: list[float] = []
        self.hyper = Hyper()
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        order = np.argsort(roster.ids)
        ids, money = roster.ids[order], self.terms.in_force(budget)
        log_share = self._random(ids, 1)[0] if len(self.values) < self.initial else self._search(ids, money)
        shares = np.empty(len(roster))
        shares[order] = np.exp(log_share)
        return self.scale.offer(roster, shares, money)

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        self.round = receipt.round
        self.scale.tell(receipt)
        if not np.isfinite(receipt.accuracy):
            return
        order = np.argsort(receipt.roster.ids)
        share = np.maximum(receipt.offer.weight[order], 1e-300)
        self.points.append((receipt.roster.ids[order], np.log(share / share.mean())))
        self.values.append(receipt.accuracy)
        self.budgets.append(self._input(self.terms.in_force(receipt.budget)))
        self.paid.append(receipt.paid)
        told = len(self.values)
        if told >= self.initial and (told == self.initial or (told & (told - 1)) == 0):
            x = self._scaled(self._log_shares(receipt.roster.ids[order]), np.array(self.budgets))
            self.hyper = learned(x, np.array(self.values), self.hyper)

    def _search(self, ids: IntArray, budget: float) -> FloatArray:
        """The candidate with the highest expected improvement, looked for ever closer around the best so far."""
        points, values, within = self._log_shares(ids), np.array(self.values), np.array(self.paid) <= budget
        process = Process(self._scaled(points, np.array(self.budgets)), values, self.hyper)
        incumbent = int(np.where(within, values, -np.inf).argmax() if within.any() else values.argmin())
        target = self.values[incumbent]
        best = points[incumbent]
        score = -np.inf
        for stage, width in enumerate((0.0, *WIDTHS)):
            draws = self._draw(ids, best, width, stage)
            x = self._scaled(draws, np.full(len(draws), self._input(budget)))
            improvement = expected_improvement(process, x, target)
            top = int(improvement.argmax())
            if improvement[top] > score:
                score, best = float(improvement[top]), draws[top]
        return best

    def _draw(self, ids: IntArray, best: FloatArray, width: float, stage: int) -> FloatArray:
        """Candidates (candidates, n): anywhere on the simplex, or around the best so far."""
        if width == 0:
            return self._random(ids, self.candidates)
        around = best + width * normal(key(self.seed, "mechanism", self.round, stage), ids, self.candidates)
        return around - np.log(np.exp(around).mean(axis=1, keepdims=True))

    def _random(self, ids: IntArray, draws: int) -> FloatArray:
        share = uniform(key(self.seed, "mechanism", self.round), ids, draws)
        return np.asarray(np.log(share / share.mean(axis=1, keepdims=True)))

    def _input(self, budget: float) -> float:
        return float(np.log(budget / self.terms.budget))

    def _scaled(self, log_shares: FloatArray, budgets: FloatArray) -> FloatArray:
        """x, as the process sees it."""
        return np.column_stack([log_shares / np.sqrt(log_shares.shape[1]), budgets])

    def _log_shares(self, ids: IntArray) -> FloatArray:
        """Told points in the coordinates of these clients; who was not there stands at the mean weight."""
        x = np.zeros((len(self.points), ids.size))
        for row, (there, log_share) in enumerate(self.points):
            if np.array_equal(there, ids):
                x[row] = log_share
                continue
            at = np.minimum(np.searchsorted(there, ids), there.size - 1)
            x[row] = np.where(there[at] == ids, log_share[at], 0.0)
        return x


class Belief(Protocol):
    """What is thought of the accuracy at any point."""

    def predict(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation at each row of x."""
        ...


def expected_improvement(belief: Belief, x: FloatArray, target: float) -> FloatArray:
    """EI of each row of x over the target."""
    mu, sigma = belief.predict(x)
    sigma = np.maximum(sigma, 1e-12)
    u = (mu - target) / sigma
    return np.asarray((mu - target) * scipy.special.ndtr(u) + sigma * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi))
