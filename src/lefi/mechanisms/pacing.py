"""Mechanisms that choose the budget of each round: what they share. Another mechanism decides who gets how much of it.

A subclass says how much (`money`) and what it makes of a round (`learn`). The total is kept here: no offer could cost
more than what is left of it, whatever the inner mechanism asks for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from lefi.arrays import FloatArray
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Offer, Receipt, Roster, Terms, spendable
from lefi.offers import cut

Inner = Callable[[Terms, int], Mechanism]  # makes the inner mechanism under terms of the wrapper's choice, with a seed

PATIENCE = 20  # rounds in a row without an improvement
IMPROVEMENT = 0.001  # of accuracy: less than that is none
LEAST = 1e-2  # of the total: with less left no round is begun
NOTHING = 1e-12  # USD: what the inner mechanism is asked with where nothing is left; what it offers is then cut to 0


class Pacing(ABC):
    """The money of a job, and the mechanism inside."""

    done: str | None = None
    learns = "own"  # what a client delivers moves the budget of the next round, and so its own offer

    def __init__(self, terms: Terms, inner: Inner, seed: int, first: float) -> None:
        self.terms, self.seed = terms, seed
        self.inside = inner(replace(terms, budget=first, total=None), seed)
        self.payment = getattr(self.inside, "payment", terms.payment)
        self.spent = 0.0

    @abstractmethod
    def money(self, most: float) -> float:
        """The budget of the next round, at most `most` [USD]."""

    @abstractmethod
    def learn(self, receipt: Receipt, budget: float) -> None:
        """Learn from a round for which `money` had chosen this budget."""

    def ask(self, roster: Roster, budget: float | None = None) -> Offer:
        offer = self.inside.ask(roster, self._chosen(budget))
        return offer if offer.worst_case() <= self.left else cut(offer, self.left)

    def tell(self, receipt: Receipt) -> None:
        chosen = self._chosen(receipt.budget)
        self.inside.tell(replace(receipt, budget=chosen))
        self.spent += receipt.paid
        self.learn(receipt, chosen)

    @property
    def left(self) -> float:
        """What may still be paid, a hair less than the total leaves; infinite without a total [USD]."""
        return float("inf") if self.terms.total is None else max(spendable(self.terms.total) - self.spent, 0.0)

    def all_spent(self) -> str | None:
        """In words, where too little is left for another round."""
        total = self.terms.total
        if total is None or self.left >= LEAST * min(total, self.terms.budget):
            return None
        return f"the total of {total:g} USD is spent"

    def _chosen(self, budget: float | None) -> float:
        most = min(self.terms.in_force(budget), self.left)
        return max(min(self.money(most), most), NOTHING)


def at_rest(accuracies: FloatArray, patience: int = PATIENCE, least: float = IMPROVEMENT) -> bool:
    """Whether none of the last rounds was better than the best before them, by `least` or more."""
    if accuracies.size <= patience:
        return False
    return bool(accuracies[-patience:].max() < accuracies[:-patience].max() + least)
