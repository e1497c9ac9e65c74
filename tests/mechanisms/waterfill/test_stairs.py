"""Clients whose curve has several steps: what has shown bounds each threshold, and one more level may be above."""

import numpy as np
import pytest

from lefi.mechanisms.waterfill.curves import STAIRS, blank, kink, money, wish
from tests.mechanisms.waterfill.test_belief import HIGH, RATE, TOP, chance, earned, fitted

X = [1.0, 0.0, -2.0, -1.0, -1.5, -0.5]


def stairs(x: float) -> float:
    """Half of the cap from -1.8 on, all of it from -0.7 on."""
    return TOP if x >= -0.7 else TOP / 2 if x >= -1.8 else 0.0


def test_two_levels_are_found_with_their_thresholds() -> None:
    points = fitted(X, [stairs(x) for x in X])
    assert chance(points, STAIRS) > 0.99
    mine = points[(points.chance > 0) & np.isclose(points.cap, TOP)]
    assert mine.level[:, 1] == pytest.approx(TOP / 2)
    for level, low, top in ((0, -1.0, -0.5), (1, -2.0, -1.5)):
        assert earned(low) - 1e-6 <= mine.at[:, level].min() < mine.at[:, level].max() <= earned(top) + 1e-6


def test_a_level_above_those_that_have_shown_lies_above_what_was_paid() -> None:
    points = fitted(X, [stairs(x) for x in X])
    more = points[(points.chance > 0) & (points.cap > TOP + 0.1)]
    assert len(more)
    assert (more.at[:, 0] >= earned(1.0)).all()
    assert more.level[:, 1] == pytest.approx(TOP)
    assert (more.cap <= HIGH).all()


def test_who_has_shown_one_level_is_all_or_nothing_first() -> None:
    points = fitted(X[1:5], [TOP if x >= -1.2 else 0.0 for x in X[1:5]])
    assert chance(points, STAIRS) < 0.2


def test_levels_within_noise_are_none() -> None:
    assert chance(fitted(X, [stairs(x) for x in X], rho=0.1), STAIRS) == 0


def test_a_curve_delivers_a_level_from_its_kink_on() -> None:
    s = blank(1)[0, 0]
    s.kind, s.exponent, s.cap, s.full = STAIRS, 1.0, TOP, money(RATE, TOP)
    s.level[:2], s.at[:2] = (TOP, TOP / 2), (-0.5, -1.5)
    for level, size in ((0, TOP), (1, TOP / 2), (2, TOP)):  # there is no third
        x = kink(s, RATE, level)
        assert wish(s, x + 1e-6, size, RATE) == size
        assert wish(s, x - 1e-6, size, RATE) < size
