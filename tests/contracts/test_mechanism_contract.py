"""Every registered mechanism keeps the contract; a mechanism that breaks one clause is caught by that clause."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import lefi
from lefi import ContractError, CurveOffer, Receipt, Roster, Terms
from lefi.testing import check_mechanism
from lefi.testing.mechanism import CLAUSES


@pytest.mark.parametrize("name", sorted(lefi.registered()))
def test_every_mechanism_keeps_the_contract(name: str) -> None:
    check_mechanism(lefi.registered()[name])


class Sound:
    """Equal weights that shrink when they overspend: keeps every clause, so that one fault at a time can be added."""

    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        self.terms, self.seed, self.factor = terms, seed, 1.0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        money = self.terms.in_force(budget)
        return self.offer(roster, np.full(len(roster), self.factor * money / len(roster)))

    def offer(self, roster: Roster, weight: Any) -> CurveOffer:
        return CurveOffer(weight, roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        if receipt.paid > 0:
            self.factor *= min(1.1, self.terms.in_force(receipt.budget) / receipt.paid)


class WritesIntoReceipts(Sound):
    def tell(self, receipt: Receipt) -> None:
        receipt.payments.flags.writeable = True
        receipt.payments[:] = 0.0


class WritesIntoRosters(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        iid = roster.iid
        iid += 0.1
        return super().ask(roster, budget)


class CountsAsks(Sound):
    asked = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        self.asked += 1
        return self.offer(roster, np.full(len(roster), 0.1 + 0.01 * self.asked))


class RemembersWhomItWasAskedFor(Sound):
    last = 6

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        self.last = min(self.last, len(roster))
        return self.offer(roster, np.full(len(roster), 0.1 * self.last))


class TakesItsUnitFromTheFirstAsk(Sound):
    """As the first release of `lefi` did: being asked for 3 clients first doubles the offer to 6."""

    unit = 0.0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        self.unit = self.unit or self.terms.budget / len(roster)
        return self.offer(roster, np.full(len(roster), 0.1 * self.unit))


class IgnoresTheBudget(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return super().ask(roster)


class NeverSpendsMoreAgain(Sound):
    least = np.inf

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return super().ask(roster, min(self.least, self.terms.in_force(budget)))

    def tell(self, receipt: Receipt) -> None:
        self.least = min(self.least, self.terms.in_force(receipt.budget))


class WantsABudget(Sound):
    """Takes next to nothing where no budget is given, instead of the terms' own."""

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return super().ask(roster, 1e-3 if budget is None else budget)


class UsesItsOwnDice(Sound):
    def __init__(self, terms: Terms, *, seed: int = 0) -> None:
        super().__init__(terms, seed=seed)
        self.dice = np.random.default_rng(seed)
        self.weight = self.dice.random()

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, np.full(len(roster), self.weight))

    def tell(self, receipt: Receipt) -> None:
        self.weight = np.random.default_rng().random()


class LearnsInAsk(Sound):
    """What it knows was put aside by `ask`: lost when only the receipts are told again."""

    offered = 0.0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        self.offered = super().ask(roster, budget).weight[0]
        return super().ask(roster, budget)

    def tell(self, receipt: Receipt) -> None:
        self.factor = 1 / (1 + self.offered)


class SharesState(Sound):
    rounds: ClassVar[list[int]] = []

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, np.full(len(roster), 0.1 / (1 + len(self.rounds))))

    def tell(self, receipt: Receipt) -> None:
        self.rounds.append(receipt.round)


class ChoosesTheRate(Sound):
    def offer(self, roster: Roster, weight: Any) -> CurveOffer:
        return CurveOffer(weight, 0.01 * roster.rate, np.full(len(roster), self.terms.size_high))


class LimitsTooMuch(Sound):
    def offer(self, roster: Roster, weight: Any) -> CurveOffer:
        return CurveOffer(weight, roster.rate, np.full(len(roster), 0.5))


class CannotServeOne(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        others = len(roster) - 1
        return self.offer(roster, np.full(len(roster), self.terms.budget / others if others else np.inf))


class ExpectsTheSameClients(Sound):
    expected = 0

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, np.full(self.expected or len(roster), 0.1))

    def tell(self, receipt: Receipt) -> None:
        self.expected = self.expected or len(receipt.roster)


class StopsAtNaN(Sound):
    def tell(self, receipt: Receipt) -> None:
        self.factor = 0.1 + float(receipt.sizes.mean()) / 10


class DividesByAnswers(Sound):
    def tell(self, receipt: Receipt) -> None:
        if not receipt.answered.any():
            raise ZeroDivisionError("nobody answered")


class BelievesEveryAccuracy(Sound):
    def tell(self, receipt: Receipt) -> None:
        self.factor = receipt.accuracy


class RunsAway(Sound):
    def tell(self, receipt: Receipt) -> None:
        self.factor *= 3.0 if receipt.paid == 0 else min(1.0, self.terms.budget / receipt.paid)


class SpendsWithoutLooking(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, np.full(len(roster), 5 * self.terms.budget / len(roster)))


class PaysByPosition(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, 0.1 * (1 + np.arange(len(roster))))


class DrawsByPosition(Sound):
    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return self.offer(roster, np.random.default_rng(self.seed).random(len(roster)))


class SaysItLearnsFromNobody(Sound):
    learns = "nobody"


class SaysItLearnsFromOthers(Sound):
    learns = "others"


FAULTS: list[tuple[str, Callable[..., Any]]] = [
    ("messages are not changed", WritesIntoReceipts),
    ("messages are not changed", WritesIntoRosters),
    ("ask is pure", CountsAsks),
    ("ask is pure", RemembersWhomItWasAskedFor),
    ("ask is pure", TakesItsUnitFromTheFirstAsk),
    ("ask is pure", UsesItsOwnDice),
    ("the budget in force is followed", IgnoresTheBudget),
    ("the budget in force is followed", NeverSpendsMoreAgain),
    ("the budget in force is followed", WantsABudget),
    ("tell is replayable", LearnsInAsk),
    ("tell is replayable", SharesState),
    ("offers fit the roster", LimitsTooMuch),
    ("offers fit the roster", CannotServeOne),
    ("missing answers are survived", StopsAtNaN),
    ("missing answers are survived", DividesByAnswers),
    ("unmeasured accuracy is survived", BelievesEveryAccuracy),
    ("the books are kept", RunsAway),
    ("the books are kept", SpendsWithoutLooking),
    ("reordering clients reorders the offer", PaysByPosition),
    ("reordering clients reorders the offer", DrawsByPosition),
    ("offers follow whose answers it says", SaysItLearnsFromNobody),
    ("offers follow whose answers it says", SaysItLearnsFromOthers),
]


def test_the_sound_one_keeps_the_contract() -> None:
    check_mechanism(Sound)


@pytest.mark.parametrize(("clause", "broken"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_mechanism_fails_its_clause(clause: str, broken: Callable[..., Any]) -> None:
    with pytest.raises(ContractError, match=f"^{clause}: .+$"):
        check_mechanism(broken)


@pytest.mark.parametrize(
    ("clause", "broken"), [("offers fit the roster", ChoosesTheRate), ("clients come and go", ExpectsTheSameClients)]
)
def test_some_faults_are_met_by_earlier_clauses_too(clause: str, broken: Callable[..., Any]) -> None:
    """Every clause plays rounds, so a gross fault shows in the first one; its own clause finds it as well."""
    with pytest.raises(ContractError):
        check_mechanism(broken)
    with pytest.raises((lefi.LefiError, ValueError)):
        CLAUSES[clause](broken)


def test_every_clause_has_a_fault() -> None:
    assert {clause for clause, _ in FAULTS} | {"clients come and go"} == set(CLAUSES)
