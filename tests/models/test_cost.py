from typing import Any

import numpy as np
import pytest

import lefi
from lefi import InputError, LinearCost

PAPER = lefi.cost("paper")
SIZES = np.linspace(0.1, 10, 60)


def test_the_paper_coefficients() -> None:
    assert PAPER == LinearCost(p=79.1259, q=17.6219)
    assert PAPER(np.array([0.0, 2.0])).tolist() == [17.6219, 2 * 79.1259 + 17.6219]
    assert PAPER.slope(SIZES).tolist() == [79.1259] * 60


def test_fits_recover_the_paper_at_its_rmse() -> None:
    """The source of the paper has an RMSE of 13.56 TFLOP in a comment: points with that noise give it back."""
    fits, errors = [], []
    for seed in range(60):
        points = PAPER(SIZES) + np.random.default_rng(seed).normal(0, 13.56, SIZES.size)
        fits.append(LinearCost.fit(SIZES, points))
        errors.append(fits[-1].rmse(SIZES, points))
    assert np.mean(errors) == pytest.approx(13.56 * np.sqrt(1 - 2 / SIZES.size), rel=0.05)
    spread_p = 13.56 / (SIZES.std() * np.sqrt(SIZES.size))
    p, q = np.array([[fit.p, fit.q] for fit in fits]).T
    assert abs(p.mean() - PAPER.p) < 4 * spread_p / np.sqrt(60)
    assert abs(q.mean() - PAPER.q) < 4 * 13.56 * 2 / np.sqrt(SIZES.size) / np.sqrt(60)
    assert p.std() == pytest.approx(spread_p, rel=0.4)


def test_a_fit_keeps_q_at_zero_or_above() -> None:
    found = LinearCost.fit(SIZES, 80 * SIZES - 20)
    assert found.q == 0
    assert found.p == pytest.approx((SIZES @ (80 * SIZES - 20)) / (SIZES @ SIZES))


@pytest.mark.parametrize(
    ("sizes", "cost"),
    [([], []), ([1.0], [80.0]), ([1.0, 1.0], [80.0, 81.0]), ([1.0, 2.0], [80.0]), ([1.0, np.nan], [1.0, 2.0])],
)
def test_a_fit_refuses_points(sizes: Any, cost: Any) -> None:
    with pytest.raises(InputError, match="points"):
        LinearCost.fit(sizes, cost)


def test_a_fit_refuses_falling_cost() -> None:
    with pytest.raises(InputError, match=r"cost\.p"):
        LinearCost.fit(SIZES, 100 - SIZES)


@pytest.mark.parametrize(
    ("p", "q"), [(0, 1), (-1, 1), (np.nan, 1), (np.inf, 1), (1, -1), (1, np.nan), ("1", 1), (1, True)]
)
def test_refuses(p: float, q: float) -> None:
    with pytest.raises(InputError, match=r"cost\.[pq]"):
        LinearCost(p, q)
