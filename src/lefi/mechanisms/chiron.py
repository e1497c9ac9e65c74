"""`chiron`: two agents. An outer one chooses the budget of each round, an inner one, `drl`, splits it.

After Liu, Wu, Zhan, Guo and Hong, "Chiron" (ICDCS 2021). Theirs are two networks; the outer one here is linear, because
one job teaches it a hundred numbers at most:
budget = even exp(w x + sigma e), e ~ N(0, 1), even = money left / rounds left
x = (1, share of the rounds played, share of the money left, last rise of accuracy)
Reward of a round: by how much accuracy rose. Every 5 rounds, as in the source, w moves along the policy gradient.
Without a total there is nothing to pace: every round then has its whole budget.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray
from lefi.draws import key, normal
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.drl import Drl
from lefi.mechanisms.pacing import Pacing
from lefi.messages import Receipt, Terms

EVERY, GAMMA = 5, 0.95  # rounds between two steps, and what a rise one round later counts: as in the source
LONGEST = 100  # rounds that the total has to last for, where the terms set no bound
WIDEST = float(np.log(4.0))  # a round has a quarter of an even part, or four of them, at most
RISE = 0.01  # of accuracy: the unit of rewards


@register("chiron")
class Chiron(Pacing):
    """Spends a total round by round. `weights` of the inner agent, as of `drl`; `explore`, `step` of the outer one.

    >>> market = lefi.scenario("paper", clients=3, total=20.0, rounds=10)
    >>> mechanism = lefi.make("chiron", market.terms)
    >>> [round(receipt.offer.worst_case(), 1) for receipt in lefi.play(mechanism, market, rounds=3)]
    [2.0, 2.0, 1.1]
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
        explore: Annotated[float, Field(ge=0, le=2)] = 0.3,
        step: Annotated[float, Field(gt=0, le=1)] = 0.1,
    ) -> None:
        self.explore, self.step = explore, step
        self.w, self.round, self.accuracy, self.rise = np.zeros(4), 0, 0.0, 0.0
        self.gathered: list[tuple[FloatArray, float, float]] = []  # x, e and the rise, of rounds since the last step
        super().__init__(terms, lambda inside, own: Drl(inside, seed=own, weights=weights), seed, terms.budget)

    def money(self, most: float) -> float:
        """An even part of what is left, more or less as the agent says."""
        if self.terms.total is None:
            return most
        away = float(self.w @ self._seen()) + self.explore * self._luck()
        return self.left / self._rounds_left() * float(np.exp(np.clip(away, -WIDEST, WIDEST)))

    def learn(self, receipt: Receipt, budget: float) -> None:
        """Note what the round brought, and take a step after a few of them."""
        seen, luck = self._seen(), self._luck()
        self.round = receipt.round
        self.done = None if self.terms.total is None else self.all_spent()
        if self.terms.total is None or not np.isfinite(receipt.accuracy):
            return
        self.rise = 0.0 if self.accuracy == 0 else (receipt.accuracy - self.accuracy) / RISE
        self.accuracy = receipt.accuracy
        self.gathered.append((seen, luck, self.rise))
        if len(self.gathered) == EVERY:
            self.w = self.w + self.step * uphill(self.gathered)
            self.gathered = []

    def _seen(self) -> FloatArray:
        left = 1.0 if self.terms.total is None else self.left / self.terms.total
        return np.array([1.0, self.round / (self.round + self._rounds_left()), left, np.clip(self.rise, -1, 1)])

    def _rounds_left(self) -> int:
        return max((self.terms.rounds or LONGEST) - self.round, 1)

    def _luck(self) -> float:
        return float(normal(key(self.seed, "chiron", self.round), np.zeros(1, dtype=np.int64))[0])


def uphill(gathered: list[tuple[FloatArray, float, float]]) -> FloatArray:
    """The policy gradient of these rounds, returns taken relative to their mean."""
    ahead, returns = 0.0, []
    for _, _, rise in reversed(gathered):
        ahead = rise + GAMMA * ahead
        returns.append(ahead)
    better = np.array(returns[::-1]) - np.mean(returns)
    better = better / (better.std() + 1e-9)
    return np.mean([gain * luck * seen for gain, (seen, luck, _) in zip(better, gathered, strict=True)], axis=0)
