"""Clients that no family fits: told from noisy ones, and believed to the letter."""

from math import sqrt

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.curves import blank_view, evaluate
from lefi.mechanisms.waterfill.facts import Found, Known
from lefi.mechanisms.waterfill.stairs import Stairs, drop_least, roughness
from lefi.mechanisms.waterfill.steps import more_above, pooled_caps
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, KIND, STAIR_KIND, STEP_KIND, C

HIGH = 10.0
CAP, RATE = 6.0, 0.75
MONEY = np.array([1.0, 0.5, 2.0, 0.8, 1.3, 0.65, 1.1, 0.3, 1.6, 0.9, 0.7, 1.2])
X = np.log(MONEY / -np.expm1(-RATE * CAP))


def told(x: FloatArray, y: FloatArray) -> Belief:
    """A fleet of one after these answers, none cut by its limit."""
    belief = Belief(start=0.0, floor=0.0, high=HIGH)
    one, rate, limit = np.zeros(1, dtype=np.int64), np.array([RATE]), np.array([HIGH])
    for weight, size in zip(x, y, strict=True):
        belief.tell(one, rate, np.array([weight]), np.array([size]), limit)
    return belief


def found(belief: Belief, x: FloatArray, rho: float) -> Found:
    """What the one client is expected to do at these log weights."""
    one, brought = np.ones(1), Found(*(np.empty((1, x.size)) for _ in range(3)))
    known = Known(belief.tracks, RATE * one, rho * one, belief.full, one, one, one, one < 0)
    evaluate(x[None], known, 0.0, HIGH, brought, blank_view())
    return brought


def two_steps(money: FloatArray) -> FloatArray:
    return CAP * np.where(money >= 1.25, 1.0, np.where(money >= 0.6, 0.4, 0.0))


def test_an_odd_client_is_expected_to_do_again_what_it_did() -> None:
    belief = told(X, two_steps(MONEY))
    tracks = belief.tracks[0]
    assert np.all(tracks[tracks[:, CHANCE] > 0, KIND] == STAIR_KIND)
    assert np.isclose(tracks[:, CHANCE].sum(), 1)
    np.testing.assert_allclose(found(belief, X, 5e-4).size[0], two_steps(MONEY), atol=0.02 * CAP)


def test_its_limit_lies_at_its_cap_whatever_the_fleet_takes_for_noise() -> None:
    belief = told(X, two_steps(MONEY))
    limit = found(belief, X[2:3], 0.3).limit[0, 0]
    assert belief.tracks[0, 0, C] < limit < 1.02 * belief.tracks[0, 0, C]


def test_a_noisy_client_is_not_odd() -> None:
    rng = np.random.default_rng(4)
    odd = 0
    for _ in range(40):
        rise = np.clip((X + 4) / RATE, 0, CAP)
        noisy = np.clip(rise * (1 + 0.1 * rng.standard_normal(X.size)), 0, CAP)
        odd += bool((told(X, noisy).tracks[0, :, KIND] == STAIR_KIND).any())
    assert odd <= 2


def test_rational_linear_and_all_or_nothing_clients_stay_what_they_are() -> None:
    for curve in (np.clip((X + 4) / RATE, 0, CAP), CAP * np.minimum(MONEY / 1.4, 1), CAP * (MONEY >= 0.95)):
        assert not (told(X, np.asarray(curve, dtype=np.float64)).tracks[0, :, KIND] == STAIR_KIND).any()


def test_plateaus_that_were_not_the_cap_are_counted_and_so_are_those_that_were() -> None:
    answers = np.zeros((2, 3, 40))
    answers[:, 0, :4] = [0.0, 0.5, 1.0, 2.0]
    answers[0, 2, :4] = [2.0, 2.0, 5.0, 5.0]  # rose above a plateau
    answers[1, 2, :4] = 3.0  # never did
    book = (
        told(X[:1], X[:1] + 9)._book()._replace(answers=answers, kept=np.full(2, 4), tracks=np.zeros((2, 1, COLUMNS)))
    )
    book.tracks[:, 0, KIND] = STEP_KIND
    both = more_above(np.arange(2), book)
    first, second = (more_above(np.array([i]), book) for i in range(2))
    assert second < both < first


def test_steps_are_rough_and_lines_are_not() -> None:
    k = np.linspace(-1, 1, 8)
    assert roughness(Stairs(k, 2 + k), 8) < 1e-9
    assert roughness(Stairs(k, np.where(k > 0, 4.0, 0.0)), 8) > 0.9


def test_the_answer_on_a_straight_line_is_the_first_to_be_left_out() -> None:
    k, level = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 6.0])
    area = np.array([0.0, 1.0, 1.0, 4.0])
    assert drop_least(Stairs(k, level), area, 4, sqrt(2.0)) == 3
    assert level[:3].tolist() == [0.0, 2.0, 6.0]
    assert area[1] == 2.0


def test_the_caps_of_steps_are_learned_from_those_that_deliver() -> None:
    best = np.zeros((40, COLUMNS))
    best[:, KIND], best[:, C] = STEP_KIND, 3.0
    assert pooled_caps(best[:0], HIGH)[0] == 7.5
    mean, variance = pooled_caps(best, HIGH)
    assert 3.0 < mean < 3.2
    assert variance < 1
