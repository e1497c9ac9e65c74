"""What answers say without a belief: who answers as a rational client without noise does, and where it stands."""

import numpy as np
import pytest

import lefi
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import Plain, survey
from lefi.messages import Roster

RATE, LOCATION, CAP, HIGH = 0.7, -5.0, 6.0, 10.0
SHARED = Fleet(lefi.Terms(1.0, lefi.accuracy("paper"), size_high=HIGH), float(np.exp(-1))).shared


def found(x: list[float], y: list[float]) -> Plain:
    """What is found about one client that answered so, oldest first."""
    memory, roster = Memory(), Roster(np.array([3]), np.array([0.5]), np.array([RATE]))
    for weight, size in zip(x, y, strict=True):
        memory.note(roster, np.array([weight]), np.array([HIGH]), np.array([size]))
    return survey(memory.answers, memory.rows(roster.ids), roster.rate, SHARED)


def hinge(x: float) -> float:
    return float(np.clip((x - LOCATION) / RATE, 0, CAP))


def test_a_rise_and_a_plateau_tell_all() -> None:
    x = [1.0, 0.5, -2.0]
    one = found(x, [hinge(w) for w in x])
    assert one.follows[0]
    assert one.rises[0]
    assert one.b[0] == pytest.approx(LOCATION, abs=1e-5)
    assert one.cap[0] == pytest.approx(CAP, abs=1e-5)


def test_a_plateau_alone_bounds_the_location_and_it_is_sought_below() -> None:
    one = found([1.0, 0.5], [CAP, CAP])
    assert one.follows[0]
    assert not one.rises[0]
    assert one.cap[0] == pytest.approx(CAP)
    assert one.b[0] < 0.5 - RATE * CAP - 0.1


def test_who_has_refused_is_sought_above_and_below_what_it_has_delivered_for() -> None:
    refused = found([-8.0], [0.0])
    assert refused.follows[0]
    assert refused.b[0] > -8.0
    both = found([-5.5, -4.3], [0.0, 1.0])
    assert both.follows[0]
    assert -5.5 < both.b[0] < -4.3 - RATE * 1.0 + 1e-6


def test_with_little_money_for_many_nearly_all_of_it_is_well_spent() -> None:
    market = lefi.scenario("paper", clients=3000, budget=1.5, seed=1)
    nothing, best = market.accuracy_of(np.zeros(3000)), lefi.oracle(market).accuracy
    *_, last = lefi.play(lefi.make("waterfill", market.terms), market, 20)
    assert last.paid <= market.terms.budget
    assert last.accuracy - nothing > 0.95 * (best - nothing)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, -2.0, -3.0], [CAP, 1.1 * hinge(-2.0), hinge(-3.0)]),  # noise
        ([1.0, -2.0, -3.0], [CAP, CAP, 0.0]),  # all or nothing
        ([-8.0, -7.5, -7.0, -6.5], [0.0] * 4),  # it refuses again and again
        ([1.0, 0.5], [2.0, 3.0]),  # less money brought more
    ],
)
def test_who_answers_otherwise_is_thought_about(x: list[float], y: list[float]) -> None:
    assert not found(x, y).follows[0]


def test_who_answers_otherwise_is_served_with_the_last_offer_that_brought_something() -> None:
    one = found([1.0, 0.0, -2.0], [CAP, CAP, 0.0])
    assert not one.follows[0]
    assert one.b[0] + RATE * one.cap[0] == pytest.approx(0.0, abs=1e-6)  # log weight
    assert [one.cap[0], one.part[0]] == pytest.approx([HIGH, CAP / HIGH])
    assert found([-8.0, -7.5, -7.0, -6.5], [0.0] * 4).cap[0] == 0  # nothing ever came
