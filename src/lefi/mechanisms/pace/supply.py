"""What money buys: the sizes that a round brings, against what it pays, as own rounds have shown it.

x  paid in a round [USD]        D  mean size over clients     d  size behind a sample, sum D_n^2 / sum D_n
D(x) and d(x) are each  s ln(1 + x / c)  [thousand samples]
Small c is the paper's curve, whose cost is exponential in the size; large c is a price per sample, a straight line.
Where d is far above D, few clients deliver all: for training that is another thing than many who deliver little.
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray

FADE = 0.85  # weight of a round against the one after it: the inner mechanism still learns to buy
KEPT = 40  # rounds: older ones weigh less than a thousandth
BENDS = np.geomspace(0.03, 100.0, 22)  # c that are tried, in units of the largest payment
LEFT, SATED = 0.7, 3  # so many rounds that paid less than this share of their budget, and brought
ALL = 0.95  # of the most that any round brought: there is no more to buy
USUAL = 1e-5  # pull towards the usual c, relative to the error: it decides where all rounds paid about the same
CURVED, STRAIGHT = 1.0, 30.0  # the usual c of the paper's curve, and of a price, in units of the largest payment


class Bought(NamedTuple):
    """One round: what it paid, and what it brought."""

    paid: float
    mean: float
    behind: float
    budget: float


class Bend(NamedTuple):
    """s ln(1 + x / c)."""

    s: float
    c: float

    def at(self, x: float) -> float:
        return self.s * float(np.log1p(x / self.c))

    @classmethod
    def through(cls, x: FloatArray, y: FloatArray, usual: float = CURVED) -> "Bend":
        """The best one for these points, newest last."""
        weight, c = FADE ** np.arange(len(x))[::-1], BENDS * x.max()
        shape = np.log1p(x / c[:, None])
        s = (weight * shape * y).sum(axis=1) / (weight * shape**2).sum(axis=1)
        error = (weight * (s[:, None] * shape - y) ** 2).sum(axis=1)
        best = int((error + USUAL * np.log(BENDS / usual) ** 2 * (y**2).max()).argmin())
        return cls(float(s[best]), float(c[best]))


class Supply:
    """The curves through the rounds that were paid for."""

    def __init__(self, size_high: float, usual: float = CURVED) -> None:
        self.size_high, self.usual, self.clients = size_high, usual, 1
        self.rounds: list[Bought] = []
        self.mean, self.behind = Bend(0.0, 1.0), Bend(0.0, 1.0)

    def tell(self, budget: float, paid: float, sizes: FloatArray) -> None:
        """Note a round; one that paid nothing, or got nothing, says nothing of what money buys."""
        total = float(sizes.sum())
        self.clients = sizes.size
        if paid <= 0 or total <= 0:
            return
        bought = Bought(paid, total / sizes.size, float(sizes @ sizes) / total, budget)
        self.rounds = [*self.rounds[1 - KEPT :], bought]
        x, mean, behind, _ = np.array(self.rounds).T
        self.mean, self.behind = (Bend.through(x, y, self.usual) for y in (mean, behind))

    def sizes(self, money: float) -> FloatArray:
        """Equal clients that deliver together what this much money buys."""
        mean = min(self.mean.at(money), self.size_high)
        behind = min(max(self.behind.at(money), mean), self.size_high)
        count = max(round(self.clients * mean / behind), 1) if behind > 0 else 1
        return np.full(count, self.clients * mean / count)

    def hoped(self, money: float) -> FloatArray:
        """The most that it may buy: all money goes as far as in the best round, and every client takes part."""
        best = max(round.mean / round.paid for round in self.rounds)
        return np.full(self.clients, min(best * money, self.size_high))

    @property
    def known(self) -> bool:
        """Whether any money has bought anything yet."""
        return bool(self.rounds)

    @property
    def range(self) -> tuple[float, float]:
        """The least that a round has paid, and the most that there is use for, as far as has shown [USD]."""
        last, all = self.rounds[-SATED:], ALL * max(round.mean for round in self.rounds)
        spare = [round for round in last if round.paid < LEFT * round.budget and round.mean >= all]
        sated = len(spare) == SATED
        most = max(round.paid for round in last) if sated else np.inf
        return min(round.paid for round in self.rounds), most
