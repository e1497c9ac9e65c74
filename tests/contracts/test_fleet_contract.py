"""Every scenario's fleet keeps the contract; a fleet that breaks one clause is caught by that clause."""

from typing import Any, ClassVar

import numpy as np
import pytest

import lefi
from lefi import ContractError, RationalFleet
from lefi.arrays import FloatArray, IntArray
from lefi.testing import check_fleet
from lefi.testing.fleet import CLAUSES
from lefi.world.scenarios import SCENARIOS

BASE = lefi.scenario("mixed", clients=5).fleet


@pytest.mark.parametrize("name", sorted(SCENARIOS))
@pytest.mark.parametrize("settings", [{}, {"size_low": 0.5}, {"opt_out": True, "deadline": 8.0}])
def test_every_scenario_keeps_the_contract(name: str, settings: dict[str, Any]) -> None:
    check_fleet(lefi.scenario(name, clients=7, seed=2, **settings).fleet)


class Sound(RationalFleet):
    """Rational clients, so that one fault at a time can be added."""


class AnswersForOneTooMany(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return np.append(super().respond(offer, rng), 1.0)


class IgnoresTheLimit(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return np.full(len(self.roster), 6.0)


class AnswersBelowNothing(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return super().respond(offer, rng) - 0.1


class DividesByTheWeight(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / offer.weight)


class ShakyWithoutNoise(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return super().respond(offer, rng) * np.random.default_rng().random()


class UsesItsOwnDice(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return super().respond(offer, rng) * (1.0 if rng is None else np.random.default_rng().random())


class GetsTired(Sound):
    rounds: ClassVar[list[int]] = []

    def respond(self, offer: Any, rng: Any) -> FloatArray:
        if rng is not None and rng.random() < 0.3:  # now and then: answers to one offer still repeat
            self.rounds.append(1)
        return super().respond(offer, None) / (1 + len(self.rounds))


class ChangesInPlace(Sound):
    def advance(self, rng: Any) -> Any:
        object.__setattr__(self, "price", self.price * 1.5)
        self.__dict__.pop("means")  # what it has worked out from its price
        return self


class MovesOnToNothing(Sound):
    def advance(self, rng: Any) -> Any:
        return None


class AnswersByPosition(Sound):
    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return super().respond(offer, rng) * (1 + np.arange(len(self.roster))) / 10


class ForgetsToMoveThePrice(Sound):
    def take(self, positions: IntArray) -> Any:
        taken = super().take(positions)
        object.__setattr__(taken, "price", self.price)
        return taken


FAULTS = [
    ("answers fit the offer", AnswersForOneTooMany),
    ("answers fit the offer", IgnoresTheLimit),
    ("answers fit the offer", AnswersBelowNothing),
    ("answers fit the offer", DividesByTheWeight),
    ("answers repeat", ShakyWithoutNoise),
    ("answers repeat", UsesItsOwnDice),
    ("answering leaves no trace", GetsTired),
    ("advancing leaves the old fleet", ChangesInPlace),
    ("answers fit the offer", MovesOnToNothing),
    ("reordering clients reorders the answers", AnswersByPosition),
    ("reordering clients reorders the answers", ForgetsToMoveThePrice),
]


def broken(kind: type[RationalFleet]) -> RationalFleet:
    return kind(**{name: getattr(BASE, name) for name in ("roster", "price", "speed", "cost")})


def test_the_sound_one_keeps_the_contract() -> None:
    check_fleet(broken(Sound))


@pytest.mark.parametrize(("clause", "kind"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_fleet_fails_its_clause(clause: str, kind: type[RationalFleet]) -> None:
    with pytest.raises(ContractError, match=f"^{clause}: .+$"):
        check_fleet(broken(kind))


def test_every_clause_has_a_fault() -> None:
    assert {clause for clause, _ in FAULTS} == set(CLAUSES)


def test_bounds_can_be_given() -> None:
    limits: list[float] = []

    class Listening(Sound):
        def respond(self, offer: Any, rng: Any) -> FloatArray:
            limits.append(float(offer.limit[0]))
            return super().respond(offer, rng)

    check_fleet(broken(Listening), size_low=1.0, size_high=2.0)
    assert set(limits) == {1.0, 1.5, 2.0}
