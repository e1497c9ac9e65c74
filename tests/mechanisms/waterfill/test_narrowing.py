"""What a few answers leave of a client: kinds, locations, caps, fixed costs, exponents."""

import numpy as np
import pytest

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.curves import (
    CAP,
    CAPPED,
    CHANCE,
    EXPONENT,
    FIXED,
    IDLE,
    KIND,
    POWER,
    SHY,
    STEP,
    B,
)
from lefi.mechanisms.waterfill.memory import LIMIT, SLOTS, WHEN, X, Y
from lefi.mechanisms.waterfill.narrowing import fit_all
from lefi.mechanisms.waterfill.points import blank

RATE, LOCATION, TOP = 0.7, -5.0, 6.0
HIGH = 10.0


def fitted(x: list[float], y: list[float], limit: float = HIGH, rho: float = 5e-4, jumped: float = 0.0) -> FloatArray:
    """Points of a client that gave these answers, oldest first, one per round."""
    answers = np.full((1, 4, SLOTS), np.nan, dtype=np.float32)
    for j, (weight, size) in enumerate(zip(reversed(x), reversed(y), strict=True)):
        answers[0, [X, LIMIT, Y, WHEN], j] = weight, limit, size, len(x) - j
    known = Fleet(0.0, HIGH, -1.0).shared._replace(rho=rho, jumped=jumped, now=float(len(x)))
    beliefs = blank(1)
    fit_all(answers, np.array([RATE]), known, np.zeros(1, dtype=bool), beliefs)
    points: FloatArray = beliefs[0]
    assert points[:, CHANCE].sum() == pytest.approx(1)
    return points


def chance(points: FloatArray, *kinds: int) -> float:
    return float(points[np.isin(points[:, KIND], kinds), CHANCE].sum())


def mean(points: FloatArray, column: int, kind: int) -> float:
    mine = points[points[:, KIND] == kind]
    return float((mine[:, column] * mine[:, CHANCE]).sum() / mine[:, CHANCE].sum())


def hinge(x: float) -> float:
    return float(np.clip((x - LOCATION) / RATE, 0, TOP))


def earned(x: float) -> float:
    return float(x + np.log(-np.expm1(-RATE * TOP)))


def test_a_rational_client_is_known_after_a_rise_and_a_plateau() -> None:
    x = [1.0, 0.5, -2.0, -3.0]
    points = fitted(x, [hinge(w) for w in x])
    assert chance(points, CAPPED, SHY) > 0.95
    assert mean(points, B, CAPPED) == pytest.approx(LOCATION, abs=0.01)
    assert mean(points, CAP, CAPPED) == pytest.approx(TOP, abs=1e-5)


def test_an_answer_that_was_cut_bounds_the_cap_from_below_only() -> None:
    points = fitted([1.0], [2.0], limit=2.0)
    assert (points[points[:, CHANCE] > 0.01, CAP] >= 2.0).all()
    assert points[points[:, CHANCE] > 0, CAP].max() == HIGH


def test_all_or_nothing_lies_between_the_last_refusal_and_the_first_delivery() -> None:
    x = [1.0, 0.0, -2.0, -1.0, -1.5]
    points = fitted(x, [TOP if w >= -1.2 else 0.0 for w in x])
    assert chance(points, STEP) > 0.5
    steps = points[(points[:, KIND] == STEP) & (points[:, CHANCE] > 0)]
    assert earned(-1.5) - 1e-6 < steps[:, B].min()
    assert steps[:, B].max() <= earned(-1.0) + 1e-6


def test_answers_of_a_step_that_come_again_and_again_do_not_make_it_a_curve_of_no_family() -> None:
    x = [1.0, 0.0, -2.0, -1.0, -1.5, -1.25, -1.12] + [-1.12 + 0.004 * j for j in range(1, 9)]
    points = fitted(x, [HIGH if w >= -1.2 else 0.0 for w in x])
    assert chance(points, STEP) > 0.5


def test_who_has_delivered_once_is_not_idle() -> None:
    assert chance(fitted([0.0, 1.0, 0.9, 0.8, 0.7], [0.0, 3.0, 0.0, 0.0, 0.0]), IDLE) == 0
    assert chance(fitted([0.0, 1.0, 0.9, 0.8, 0.7], [0.0] * 5), IDLE) > 0.1


def test_a_fixed_cost_explains_who_stays_at_home_below_a_weight() -> None:
    x = [0.0, -2.0, -3.0, -3.6, -2.5]
    points = fitted(x, [hinge(w) if w > -3.3 else 0.0 for w in x])
    assert chance(points, SHY) > 0.9
    mine = points[(points[:, KIND] == SHY) & (points[:, CHANCE] > 0)]
    u = np.array([-3.6, -3.0]) - LOCATION
    low, top = (np.exp(u) - 1 - u) / RATE  # the utility of a rational client on the rise is positive above it
    assert mine[:, FIXED].min() > 0.9 * low
    assert mine[:, FIXED].max() < 1.1 * top


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_a_power_of_money_is_found_with_its_exponent(exponent: float) -> None:
    x = [2.0, 1.0, -0.2, -0.6, -1.0, -0.4]
    points = fitted(x, [min(TOP * float(np.exp(exponent * earned(w))), TOP) for w in x])
    assert chance(points, POWER) > 0.95
    assert mean(points, EXPONENT, POWER) == pytest.approx(exponent)


def test_after_a_jump_old_answers_bound_a_location_loosely_and_the_cap_stays() -> None:
    x = [1.0, -2.0, -3.0, -1.0]
    y = [hinge(w) for w in x[:3]] + [float((-1.0 - LOCATION - 0.4) / RATE)]  # dearer by now
    points = fitted(x, y, jumped=4.0)
    assert mean(points, B, CAPPED) == pytest.approx(LOCATION + 0.4, abs=0.05)
    assert mean(points, CAP, CAPPED) == pytest.approx(TOP, abs=1e-5)
