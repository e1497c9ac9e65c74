"""One client of each kind, by hand."""

import numpy as np
import pytest

from lefi.messages import CurveOffer
from lefi.models import LinearCost
from lefi.world.client import Means, best_size, multipliers, utility

COST = LinearCost(p=80.0, q=16.0)
THETA, BETA = 1e-5, 0.75  # theta p = 8e-4
KAPPA = THETA * COST.p


def means(speed: float = 28.9, deadline: float = 60.0, size_low: float = 0.0, size_high: float = 10.0) -> Means:
    return Means(np.array([THETA]), np.array([speed]), COST, deadline, size_low, size_high)


def offer(weight: float, limit: float = 10.0) -> CurveOffer:
    return CurveOffer(np.array([weight]), np.array([BETA]), np.array([limit]))


def test_interior() -> None:
    D = best_size(offer(0.5), means())
    assert D == pytest.approx(np.log(0.5 * BETA / KAPPA) / BETA)
    m = multipliers(offer(0.5), means())
    assert [float(x[0]) for x in (m.deadline, m.size_low, m.size_high, m.limit)] == [0, 0, 0, 0]


def test_held_by_size_high() -> None:
    assert best_size(offer(100.0), means()) == 10.0
    m = multipliers(offer(100.0), means())
    assert m.size_high == pytest.approx(100 * BETA * np.exp(-BETA * 10) - KAPPA)
    assert m.limit == 0
    assert m.deadline == 0


def test_held_by_the_deadline() -> None:
    slow = means(speed=4.0)
    assert best_size(offer(100.0), slow) == pytest.approx((4 * 60 - 16) / 80)
    assert multipliers(offer(100.0), slow).deadline[0] > 0
    assert multipliers(offer(100.0), slow).size_high == 0


def test_held_by_the_limit() -> None:
    assert best_size(offer(100.0, limit=1.5), means()) == 1.5
    m = multipliers(offer(100.0, limit=1.5), means())
    assert m.limit[0] > 0
    assert m.size_high == 0


def test_unwilling() -> None:
    assert best_size(offer(KAPPA / BETA), means(size_low=0.5)) == 0.5
    assert multipliers(offer(0.0), means(size_low=0.5)).size_low == pytest.approx(KAPPA)


def test_sits_out() -> None:
    late = means(speed=0.9, size_low=0.5)  # 54 TFLOP in time, 56 needed
    assert late.sits_out.tolist() == [True]
    assert best_size(offer(100.0), late) == 0.0
    assert np.isnan(multipliers(offer(100.0), late).deadline).all()


def test_utility_counts_the_fixed_cost() -> None:
    left = utility(offer(2.0), means(), np.array([3.0]))
    assert left == pytest.approx(2 * (1 - np.exp(-BETA * 3)) - THETA * (80 * 3 + 16))
