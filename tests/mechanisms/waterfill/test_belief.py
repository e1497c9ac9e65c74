"""What a few answers leave of a client: kinds, locations, caps, exponents."""

import numpy as np
import pytest

import lefi
from lefi.mechanisms.waterfill.belief import believe
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.curves import EXPONENTS, IDLE, STEP, Points
from lefi.mechanisms.waterfill.memory import unheard

RATE, LOCATION, TOP = 0.7, -5.0, 6.0
HIGH = 10.0
TERMS = lefi.Terms(1.0, lefi.accuracy("paper"), size_high=HIGH)
CAPPED = 1  # kind of a rational client with a cap below size_high


def fitted(x: list[float], y: list[float], limit: float = HIGH, rho: float = 5e-4, jumped: float = 0.0) -> Points:
    """Points of a client that gave these answers, oldest first, one per round."""
    answers = unheard(1)
    for j, (weight, size) in enumerate(zip(reversed(x), reversed(y), strict=True)):
        answers[0, j] = weight, limit, size, len(x) - j
    known = Fleet(TERMS, float(np.exp(-1))).shared._replace(rho=rho, jumped=jumped, now=float(len(x)))
    points = believe(answers, np.array([RATE]), known)[0]
    assert points.chance.sum() == pytest.approx(1)
    return points


def chance(points: Points, *kinds: int) -> float:
    return float(points.chance[np.isin(points.kind, kinds)].sum())


def mean(points: Points, column: str, kind: int) -> float:
    mine = points[points.kind == kind]
    return float((mine[column] * mine.chance).sum() / mine.chance.sum())


def hinge(x: float) -> float:
    return float(np.clip((x - LOCATION) / RATE, 0, TOP))


def earned(x: float) -> float:
    return float(x + np.log(-np.expm1(-RATE * TOP)))


def test_a_rational_client_is_known_after_a_rise_and_a_plateau() -> None:
    x = [1.0, 0.5, -2.0, -3.0]
    points = fitted(x, [hinge(w) for w in x])
    assert chance(points, CAPPED) > 0.95
    assert mean(points, "b", CAPPED) == pytest.approx(LOCATION, abs=0.01)
    assert mean(points, "cap", CAPPED) == pytest.approx(TOP, abs=1e-5)


def test_an_answer_that_was_cut_bounds_the_cap_from_below_only() -> None:
    points = fitted([1.0], [2.0], limit=2.0)
    assert (points.cap[points.chance > 0.01] >= 2.0).all()
    assert points.cap[points.chance > 0].max() == HIGH


def test_all_or_nothing_lies_between_the_last_refusal_and_the_first_delivery() -> None:
    x = [1.0, 0.0, -2.0, -1.0, -1.5]
    points = fitted(x, [TOP if w >= -1.2 else 0.0 for w in x])
    assert chance(points, STEP) > 0.5
    steps = points[(points.kind == STEP) & (points.chance > 0)]
    assert earned(-1.5) - 1e-6 < steps.b.min()
    assert steps.b.max() <= earned(-1.0) + 1e-6


def test_answers_of_a_step_that_come_again_and_again_do_not_make_it_a_curve_of_no_family() -> None:
    x = [1.0, 0.0, -2.0, -1.0, -1.5, -1.25, -1.12] + [-1.12 + 0.004 * j for j in range(1, 9)]
    points = fitted(x, [HIGH if w >= -1.2 else 0.0 for w in x])
    assert chance(points, STEP - 1, STEP) > 0.5  # it may have more than size_high


def test_who_has_delivered_once_is_not_idle() -> None:
    assert chance(fitted([0.0, 1.0, 0.9, 0.8, 0.7], [0.0, 3.0, 0.0, 0.0, 0.0]), IDLE) == 0
    assert chance(fitted([0.0, 1.0, 0.9, 0.8, 0.7], [0.0] * 5), IDLE) > 0.1


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_a_power_of_money_is_found_with_its_exponent(exponent: float) -> None:
    x = [2.0, 1.0, -0.2, -0.6, -1.0, -0.4]
    points = fitted(x, [min(TOP * float(np.exp(exponent * earned(w))), TOP) for w in x])
    power = 2 * EXPONENTS.tolist().index(exponent) + 1
    assert chance(points, power) > 0.95
    assert mean(points, "exponent", power) == pytest.approx(exponent)


def test_after_a_jump_old_answers_bound_a_location_loosely_and_the_cap_stays() -> None:
    x = [1.0, -2.0, -3.0, -1.0]
    y = [hinge(w) for w in x[:3]] + [float((-1.0 - LOCATION - 0.4) / RATE)]  # dearer by now
    points = fitted(x, y, jumped=4.0)
    assert mean(points, "b", CAPPED) == pytest.approx(LOCATION + 0.4, abs=0.05)
    assert mean(points, "cap", CAPPED) == pytest.approx(TOP, abs=1e-5)
