"""`drl`: deep reinforcement learning. One network says for every client what share of the weights it is offered.

From scratch it learns online by policy gradients (REINFORCE with a running baseline):
a = mu(x) + sigma e, e ~ N(0, 1)    log shares that are offered; x is what is seen of the clients (`lefi.agent.sight`)
theta <- theta + step Adam(sum of (r - baseline) / spread * e dmu/dtheta over the last rounds)
r is the reward of `lefi.agent.reward`. sigma falls with the rounds: the current offer is what it is judged by.
With weights from a file it offers mu(x), which was learned elsewhere, and learns no more.
Shares become weights as those of `bara` and `random` do (`lefi.mechanisms.simplex`): scaled by what was really paid.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.agent.ascent import begin, climb
from lefi.agent.network import Layers, Trace, backward, centred, forward, fresh, shares
from lefi.agent.reward import reward
from lefi.agent.sight import Job, Standing, noted, sight
from lefi.agent.weights import load
from lefi.arrays import FloatArray
from lefi.draws import generator, key, normal
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.remembered import Remembered
from lefi.mechanisms.simplex import Scale
from lefi.messages import CurveOffer, Receipt, Roster, Terms

CALM = 100  # rounds after which sigma has fallen by a factor of sqrt(2)
KEPT = 0.9  # of the baseline and of the spread around it, round by round
WILD = 3.0  # sigmas: an offer that is further away than that was not the agent's own


@register("drl")
class Drl:
    """Learns to share the budget, from scratch or, with `weights`, before the first round.

    `weights`: a file of `lefi drl train`, or "shipped". Without: `explore` is the first sigma, in log share; `step` of
    Adam; `every` so many rounds it takes one.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("drl", market.terms, weights="shipped")
    >>> *_, last = lefi.play(mechanism, market, rounds=5)
    >>> last.paid <= 1.1 * market.terms.budget
    True
    """

    payment = "curve"
    tier = "sizes and accuracy"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        weights: str | None = None,
        explore: Annotated[float, Field(gt=0, le=2)] = 0.15,
        step: Annotated[float, Field(gt=0, le=1)] = 0.01,
        every: Annotated[int, Field(ge=1)] = 5,
    ) -> None:
        self.terms, self.seed, self.taught = terms, seed, weights is not None
        self.explore, self.step, self.every = explore, step, every
        self.job = Job(terms.accuracy, terms.size_low, terms.size_high)
        self.state = begin(fresh(generator(seed, "drl")) if weights is None else load(weights).layers)
        self.gradient, self.gathered = Layers(*map(np.zeros_like, self.state.layers)), 0
        self.baseline, self.spread, self.rewarded = 0.0, 0.0, 0
        self.scale, self.known, self.round = Scale(terms), Remembered(), 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        log_share = self._meant(roster, self.terms.in_force(budget))[0]
        if not self.taught:
            log_share = log_share + self._sigma() * normal(key(self.seed, "mechanism", self.round), roster.ids)
        return self.scale.offer(roster, shares(log_share), budget)

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        budget, roster = self.terms.in_force(receipt.budget), receipt.roster
        if not self.taught and np.isfinite(receipt.accuracy):
            self._learn(receipt, budget)
        order = np.argsort(roster.ids)
        ids, rate = roster.ids[order], roster.rate[order]
        before, offered = self.known.read(ids), receipt.offer.weight[order]
        self.known.write(ids, noted(before, offered, receipt.sizes[order], rate, self.terms.size_low))
        self.scale.tell(receipt)
        self.round = receipt.round

    def _sigma(self) -> float:
        return self.explore / float(np.sqrt(1 + self.round / CALM))

    def _meant(self, roster: Roster, budget: float) -> tuple[FloatArray, Trace]:
        """Log shares without exploring. Worked out in the order of ids, so that no sum hangs on the order given."""
        order = np.argsort(roster.ids)
        there = roster.take(order)
        standing = Standing(budget, float(self.round), self.scale.z)
        seen = sight(self.known.read(there.ids), there.iid, there.rate, standing, self.job)
        log_share, trace = forward(self.state.layers, seen)
        back = np.empty_like(log_share)
        back[order] = log_share
        return back, trace

    def _learn(self, receipt: Receipt[CurveOffer], budget: float) -> None:
        """Gather the gradient of this round, and take a step when enough rounds are gathered."""
        roster = receipt.roster
        better = self._better(float(reward(receipt.accuracy, roster.iid, receipt.paid, budget, self.job)))
        meant, trace = self._meant(roster, budget)
        offered = centred(np.log(np.maximum(receipt.offer.weight, 1e-300)))
        chance = np.clip((offered - meant) / self._sigma(), -WILD, WILD)
        more = backward(self.state.layers, trace, better * chance[np.argsort(roster.ids)] / len(roster))
        self.gradient = Layers(*(a + b for a, b in zip(self.gradient, more, strict=True)))
        self.gathered += 1
        if self.gathered >= self.every:
            self.state = climb(self.state, self.gradient, self.step)
            self.gradient, self.gathered = Layers(*map(np.zeros_like, self.gradient)), 0

    def _better(self, gain: float) -> float:
        """How much better than usual, in units of how much rewards vary; 0 in the first round."""
        self.rewarded += 1
        if self.rewarded == 1:
            self.baseline = gain
            return 0.0
        away = gain - self.baseline
        fresh_part = max(1 - KEPT, 1 / self.rewarded)  # the first rounds count alike
        self.baseline += fresh_part * away
        self.spread += fresh_part * (away * away - self.spread)
        return float(np.clip(away / np.sqrt(self.spread + 1e-12), -WILD, WILD))
