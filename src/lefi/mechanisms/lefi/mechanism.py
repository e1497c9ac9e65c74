"""`lefi`: Algorithm 1 of the paper.

w   last weight, per client [USD]      mu, sigma   the client's process at a weight
s = budget / clients of the first round, the unit in which the processes see weights.
`probe` and `step` are the paper's numbers where a round has EACH USD per client. By default they go with the money of a
round: the probe in proportion, the step, which is USD^2 per unit of accuracy, with its square. So `lefi` does the same
with 1 USD as with 15. With units="usd" they stay what they are, and suit some budgets only.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, normal, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.division import Draft
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.lefi import believed
from lefi.mechanisms.lefi.exact import best_weights
from lefi.mechanisms.presence import AWAY, Presence
from lefi.mechanisms.table import LastValue
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable
from lefi.surrogate import Bank
from lefi.surrogate.evidence import LENGTHSCALES, NOISES, REFITS, learn

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Positives = Annotated[tuple[Positive, ...], Field(min_length=1)]
Share = Annotated[float, Field(gt=0, le=1)]
Round = Annotated[int, Field(ge=1)]

EACH = 0.5  # USD per client and round: the paper's 5 USD for 10 clients, for which probe and step were chosen


@register("lefi")
class Lefi:
    """One process per client, a sampled gradient step, and scaling to the budget.

    `start`: weights begin at this share of budget / clients, so that the rise is visible; `floor`: and never fall below
    this one, because a client that is offered nothing teaches nothing. `lengthscales` (in units of budget / clients)
    and `noises` are the grid on which the evidence chooses after the rounds in `refits`. `cap`: answers of a client
    that are kept, beyond it close ones are merged; `away`: clients that left and are remembered, at most.

    >>> market = lefi.scenario("paper", clients=3)
    >>> mechanism = lefi.make("lefi", market.terms, slope="joint")
    >>> [round(receipt.paid, 2) for receipt in lefi.play(mechanism, market, rounds=5)]
    [0.13, 0.11, 0.11, 1.47, 0.62]
    """

    payment = "curve"
    tier = "sizes"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        kernel: Literal["rbf", "matern32", "matern52"] = "matern52",
        probe: Positive = 0.05,
        step: Positive = 1.0,
        units: Literal["relative", "usd"] = "relative",
        warm_start: Round = 3,
        start: Share = 0.1,
        floor: Share = 1e-3,
        lengthscales: Positives = LENGTHSCALES,
        noises: Positives = NOISES,
        refits: tuple[Round, ...] = REFITS,
        project_with: Literal["predicted", "observed"] = "predicted",
        sample: bool = True,
        slope: Literal["paper", "joint"] = "paper",
        inputs: Literal["weight", "log"] = "weight",
        solve: Literal["step", "exact"] = "step",
        limits: bool = False,
        cap: Annotated[int, Field(ge=8)] = 128,
        away: Annotated[int, Field(ge=0)] = AWAY,
    ) -> None:
        self.terms, self.seed = terms, seed
        self.probe, self.step, self.units = probe, step, units
        self.warm_start, self.start, self.floor = warm_start, start, floor
        self.lengthscales, self.noises, self.refits = lengthscales, noises, frozenset(refits)
        self.project_with, self.sample, self.slope = project_with, sample, slope
        self.inputs, self.solve, self.limits = inputs, solve, limits
        self.bank, self.presence = Bank(kernel, cap=cap), Presence(away)
        self.weights, self.sizes, self.answers, self.rates = LastValue(), LastValue(), LastValue(), LastValue()
        self.unit = 0.0  # s, known after the first round
        self.budget = terms.budget  # of the last round
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        money = self.terms.in_force(budget)
        draft = self.draft(roster, money, len(roster))
        return self.scaled(draft.offer, float(draft.cost.sum()), money)

    def draft(self, roster: Roster, money: float, clients: int) -> Draft:
        """Weights before they are scaled, and what they are thought to cost; `clients` counts the whole fleet."""
        s = self.unit or money / clients
        w = self.weights.read(roster.ids, default=self.start * s) * (money / self.budget)
        warm = self.answers.read(roster.ids, default=0.0) < self.warm_start
        if warm.all():
            better = w
        elif self.solve == "exact":
            better = best_weights(roster, self.terms.accuracy, s, money, lambda w: self._expect(roster, w))
        else:
            scale = 1.0 if self.units == "usd" else money / clients / EACH
            better = w + self.step * scale**2 * self._gradient(roster, w, self.probe * scale)
        new = np.where(warm, self._warm_weights(roster, s), np.maximum(better, self.floor * s))
        return self._cost(roster, new)

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        self.observe(receipt, len(receipt.roster))
        if self.round in self.refits:
            self.bank.refit(learn(self.bank, self.lengthscales, self.noises))

    def observe(self, receipt: Receipt[CurveOffer], clients: int) -> None:
        """Note what came back; `clients` counts the whole fleet."""
        ids, offer = receipt.roster.ids, receipt.offer
        self.budget = self.terms.in_force(receipt.budget)
        self.unit = self.unit or self.budget / clients
        self.round = receipt.round
        answered = receipt.answered
        self.bank.observe(ids, self.input(offer.weight), receipt.sizes / self.terms.size_high)
        self.weights.write(ids, offer.weight)
        self.rates.write(ids, receipt.roster.rate)
        self.sizes.write(ids[answered], receipt.sizes[answered])
        self.answers.write(ids, self.answers.read(ids, default=0.0) + answered)
        gone = self.presence.note(ids, receipt.round)
        if gone.size:
            self.bank.forget(gone)
            for values in (self.weights, self.sizes, self.answers, self.rates):
                values.forget(gone)

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; asking changes nothing."""
        return believed.explain(self, ids)

    def _warm_weights(self, roster: Roster, s: float) -> FloatArray:
        """Different small weights, so that the first answers already show a slope."""
        return self.start * s * (0.5 + 0.5 * uniform(key(self.seed, "mechanism", self.round), roster.ids))

    def _gradient(self, roster: Roster, w: FloatArray, probe: float) -> FloatArray:
        """dA/dalpha = A'(D, pi) dD/dalpha, with D(alpha + probe) drawn from the process (the paper's third step)."""
        rise, sigma = self._rise(roster, np.stack([w, w + probe], axis=1))
        if self.sample:
            rise = rise + sigma * normal(key(self.seed, "mechanism", self.round), roster.ids)
        D = self.sizes.read(roster.ids, default=0.0)
        return self.terms.accuracy.slope(D, roster.iid) * rise / probe

    def _rise(self, roster: Roster, pair: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean of D(alpha + probe) - D(alpha), and its standard deviation.

        The paper takes that of D(alpha + probe) alone, as if D(alpha) were known: too wide by a factor of 2 to 15,
        since both values move together.
        """
        if self.slope == "paper":
            mu, sigma = self._predict(roster, pair)
            return mu[:, 1] - mu[:, 0], sigma[:, 1]
        mean, C = self.bank.joint(roster.ids, self.input(pair))
        variance = np.maximum(C[:, 0, 0] + C[:, 1, 1] - 2 * C[:, 0, 1], 0.0)
        return (mean[:, 1] - mean[:, 0]) * self.terms.size_high, np.sqrt(variance) * self.terms.size_high

    def scaled(self, offer: CurveOffer, spend: float, budget: float) -> CurveOffer:
        """Scale all weights by budget / spend where the spend reaches the budget (the paper's fifth step)."""
        budget = spendable(budget) if self.limits else budget
        return CurveOffer(offer.weight * budget / spend, offer.rate, offer.limit) if spend >= budget else offer

    def _cost(self, roster: Roster, w: FloatArray) -> Draft:
        """What these weights are thought to cost."""
        limit = np.full(len(roster), self.terms.size_high)
        if self.limits:
            limit = D = self._expect(roster, w[:, None])[1][:, 0]
        elif self.project_with == "predicted":
            D = np.clip(self._predict(roster, w)[0], 0, self.terms.size_high)
        else:
            D = self.sizes.read(roster.ids, default=0.0)
        offer = CurveOffer(w, roster.rate, limit)
        return Draft(offer, offer.payment(D))

    def _expect(self, roster: Roster, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sizes to expect at weights (n, g), and sizes to pay for at most: with limits, two deviations above."""
        mu, sigma = self._predict(roster, w)
        D = np.clip(mu, self.terms.size_low, self.terms.size_high)
        return D, np.clip(mu + 2 * sigma, D, self.terms.size_high) if self.limits else D

    def _predict(self, roster: Roster, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        mean, std = self.bank.predict(roster.ids, self.input(w))
        return mean * self.terms.size_high, std * self.terms.size_high

    def input(self, w: FloatArray) -> FloatArray:
        """What the processes see of a weight."""
        x = w / (self.unit or 1.0)  # before the first round there is nothing to compare with
        return np.log(x) if self.inputs == "log" else x
