"""Mechanisms that misbehave in every way, against clients that take all they can get.

The books are kept without a disk, so that many rounds can be played. Run: python -m tests.hostile.mechanisms
"""

import argparse
import logging
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import lefi
from lefi.books import Books
from lefi.ledger import Answer, Promise
from lefi.ledger.entries import roster_of
from lefi.messages import CurveOffer, Receipt, Roster, Terms

CLIENTS = 5
NAMES = tuple(f"client-{i}" for i in range(CLIENTS))
MODEL = lefi.accuracy("paper")


class Loose:
    """A ledger of loose leaves: keeps what it is told in memory."""

    def __init__(self) -> None:
        self.promised: list[Promise] = []
        self.binding: dict[int, CurveOffer] = {}
        self.paid: list[int] = []  # units
        self.told: list[float] = []
        self.budgets: list[float] = []

    def noted(self) -> None:
        return None

    def pending(self) -> None:
        return None

    def rounds(self) -> Iterator[tuple[Promise, Receipt, int]]:
        return iter(())

    def promise(
        self, promise: Promise, call: object = None, budget: int | None = None, seen: int | None = None
    ) -> None:
        self.promised.append(promise)
        self.binding[promise.round] = promise.binding

    def commit(self, promise: Promise, pledges: Sequence[Answer], refused: Sequence[Answer]) -> None:
        self.binding[promise.round] = promise.binding

    def settle(
        self, names: Any, receipt: Receipt, answers: Any, faults: Mapping[str, str], units: list[int], then: None
    ) -> None:
        self.paid.append(sum(units))
        self.told.append(float(receipt.payments.sum()))
        assert receipt.budget is not None
        self.budgets.append(receipt.budget)

    def fault(self, round: int, part: str, what: str) -> None:
        pass


class Misbehaving:
    """Asks and learns as a random stream says; keeps hold of all it was given, and changes it later."""

    def __init__(self, rng: np.random.Generator, terms: Terms) -> None:
        self.rng, self.terms, self.held = rng, terms, list[Any]()

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        self.tamper()
        n, way = len(roster), self.rng.integers(12)
        scale = self.terms.budget * 10 ** self.rng.uniform(-3, 300 if way == 0 else 6)
        weight = scale * self.rng.random(n) * (self.rng.random(n) < 0.8)
        limit = self.rng.uniform(0, 10, n) if way != 1 else np.full(n, 10 ** self.rng.uniform(0, 300))
        offer = CurveOffer(np.minimum(weight, 1e308), roster.rate, limit)
        if way == 2:
            raise ValueError("no idea")
        if way == 3:
            return None
        if way == 4:
            return CurveOffer(weight, roster.rate * 1e-6, limit)
        if way == 5:
            return type("Cheap", (CurveOffer,), {"worst_case": lambda self: 0.0})(weight, roster.rate, limit)
        if way == 6:
            return CurveOffer(weight[:-1], roster.rate[:-1], limit[:-1]) if n > 1 else None
        if way == 7:  # behind the back of the checks
            odd = self.rng.choice([np.nan, np.inf, -1e9, 1e300])
            object.__setattr__(offer, "weight", np.full(n, odd))
        if way == 8:
            object.__setattr__(offer, "limit", np.full(n, self.rng.choice([np.nan, np.inf, -1.0])))
        if way == 9 and self.held:
            return next((thing for thing in self.held if isinstance(thing, CurveOffer)), offer)
        self.held += [roster, offer]
        return offer

    def tell(self, receipt: Receipt) -> None:
        self.held += [receipt.offer, receipt.roster, receipt]
        self.tamper()
        if self.rng.random() < 0.3:
            raise RuntimeError("cannot learn")

    def tamper(self) -> None:
        """Make everything writable that it ever got hold of, and write."""
        for thing in self.held[-6:]:
            for name in ("weight", "rate", "limit", "iid", "sizes", "payments"):
                values = getattr(thing, name, None)
                if values is not None and self.rng.random() < 0.3:
                    values.flags.writeable = True
                    values[:] = 1e6
        del self.held[:-6]


def play(seed: int, rounds: int, two_phase: bool) -> int:
    """One job with a misbehaving mechanism; how many rounds were settled. Raises where a budget is passed."""
    rng = np.random.default_rng(seed)
    terms = Terms(10 ** rng.uniform(-6, 6), MODEL, total=None)
    if rng.random() < 0.7:
        terms = Terms(terms.budget, MODEL, total=float(terms.budget * 10 ** rng.uniform(-1, 3)))
    ledger: Any = Loose()
    books = Books(Misbehaving(rng, terms), terms, ledger, penance=2)
    for round in range(1, rounds + 1):
        if books.purse.empty:
            break
        roster = roster_of(NAMES, rng.random(CLIENTS), np.full(CLIENTS, rng.uniform(0.1, 5)))
        try:
            promise = books.promise(round, NAMES, roster)
        except (lefi.LefiError, ValueError):
            continue  # nothing was promised, nothing is owed
        assert promise.offer.worst_case() <= books.purse.next()
        assert (promise.offer.limit <= terms.size_high).all()
        if two_phase:
            promise = books.commit(promise, answers(rng, promise.offer.limit), [])
        books.settle(promise, sizes(answers(rng, promise.binding.limit)), float("nan"), [], {})
    check(terms, ledger)
    return len(ledger.paid)


def answers(rng: np.random.Generator, limit: Any) -> list[Answer]:
    """Greedy clients: mostly all that is paid for, sometimes less, sometimes nothing."""
    share = np.where(rng.random(limit.size) < 0.7, 1.0, rng.random(limit.size))
    given = np.where(rng.random(limit.size) < 0.1, np.nan, share * limit)
    return [
        Answer(name, "", "", None if size != size else float(size)) for name, size in zip(NAMES, given, strict=True)
    ]


def sizes(given: list[Answer]) -> Any:
    return np.array([np.nan if answer.size is None else answer.size for answer in given])


def check(terms: Terms, ledger: Any) -> None:
    """Exactly, without rounding: every round and the whole job."""
    for paid, told, budget in zip(ledger.paid, ledger.told, ledger.budgets, strict=True):
        assert told <= budget <= terms.budget
        assert Fraction(paid, 10**9) <= Fraction(budget)
    assert terms.total is None or Fraction(sum(ledger.paid), 10**9) <= Fraction(terms.total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.CRITICAL)
    total, seed = 0, chosen.seed
    while total < chosen.rounds:
        total += play(seed, 60, bool(seed % 2))
        seed += 1
    print(f"{total} settled rounds in {seed - chosen.seed} jobs: no round and no job passed its budget")


if __name__ == "__main__":
    main()
