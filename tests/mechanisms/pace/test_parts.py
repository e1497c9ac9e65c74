"""What pace learns: what money buys, where training stands, and the plan that follows."""

from dataclasses import replace

import numpy as np
import pytest

import lefi
from lefi.mechanisms.pace.planner import Planner
from lefi.mechanisms.pace.progress import Progress
from lefi.mechanisms.pace.supply import Bend, Supply
from lefi.mechanisms.pacing import at_rest

CURVE = lefi.learning("cifar10")


@pytest.mark.parametrize("c", [0.05, 1.0, 50.0])
def test_what_money_buys_is_found_from_the_paper_s_curve_to_a_straight_line(c: float) -> None:
    x = np.array([0.1, 0.2, 0.4, 0.8])
    found = Bend.through(x, 2.0 * np.log1p(x / c))
    for money in (0.15, 0.6, 1.6):
        assert found.at(money) == pytest.approx(2.0 * np.log1p(money / c), rel=0.05)


def test_few_who_deliver_all_are_not_many_who_deliver_little() -> None:
    few, many = Supply(5.0), Supply(5.0)
    few.tell(1.0, 1.0, np.array([4.0, 4.0, 0.0, 0.0]))
    many.tell(1.0, 1.0, np.full(4, 2.0))
    np.testing.assert_allclose(few.sizes(1.0), [4.0, 4.0])
    np.testing.assert_allclose(many.sizes(1.0), np.full(4, 2.0))


def test_a_budget_that_is_not_used_up_is_known_to_be_too_large() -> None:
    supply = Supply(5.0)
    for budget in (1.0, 2.0, 4.0):
        supply.tell(budget, 0.5, np.full(4, 5.0))
    assert supply.range == (0.5, 0.5)


@pytest.mark.parametrize("worth", [0.5, 1.0, 2.0])
def test_what_data_is_worth_is_learned_from_the_accuracy(worth: float) -> None:
    progress, rng = Progress(CURVE), np.random.default_rng(0)
    sizes, iid, level = np.full(10, 1.5), np.full(10, 0.6), CURVE.floor
    for _ in range(25):
        level = CURVE.next(level, worth * sizes, iid)
        progress.tell(sizes, iid, level + 0.01 * rng.normal())
    assert progress.worth() == pytest.approx(worth, rel=0.15)
    assert progress.level == pytest.approx(level, abs=0.01)
    assert progress.worth(1.0) > progress.worth() > progress.worth(-1.0)


@pytest.mark.parametrize("wider", [0.6, 2.5])
def test_how_far_data_carries_is_learned_from_where_accuracy_comes_to_rest(wider: float) -> None:
    """On traffic signs, where little data ends low."""
    curve = lefi.learning("gtsrb")
    world, progress = replace(curve, half=curve.half / wider), Progress(curve)
    sizes, iid, level = np.full(10, 0.8), np.full(10, 0.6), curve.floor
    for _ in range(60):
        level = world.next(level, sizes, iid)
        progress.tell(sizes, iid, level)
    found, true, usual = (float(one.joint(sizes, iid, 1000)) for one in (progress.likely(), world, curve))
    assert abs(usual - true) > 0.08
    assert abs(found - true) < 0.4 * abs(usual - true)


def test_where_the_curve_says_never_it_first_believes_that_data_carries_further() -> None:
    """A budget that buys too little by the curve is kept: larger ones are dear, and curves are wrong there."""
    supply, progress = Supply(3.0), Progress(lefi.learning("gtsrb"))
    for _ in range(3):
        supply.tell(0.04, 0.04, np.full(10, 0.6))
    plan = Planner(progress, supply, 0.6, 0.7, 20.0, 100.0)
    assert plan.outlook(0.04).rounds == np.inf
    assert plan.budget(0.04, 20.0).budget < 1.2 * 0.04


def test_a_plan_keeps_a_quarter_of_the_rounds_in_hand() -> None:
    supply, progress = Supply(5.0), Progress(CURVE)
    for money in (0.5, 1.0, 2.0):
        supply.tell(money, money, np.full(10, 0.8 * np.log1p(money / 0.1)))
    free, few = (Planner(progress, supply, 0.6, 0.5, 100.0, rounds).budget(1.0, 100.0) for rounds in (500.0, 40.0))
    assert few.rounds <= 0.75 * 40.0 < free.rounds
    assert few.budget > free.budget


def test_the_plan_is_the_cheapest_of_all_constant_budgets() -> None:
    """Against a search over a finer grid."""
    supply, progress = Supply(5.0), Progress(CURVE)
    for money in (0.5, 1.0, 2.0):
        supply.tell(money, money, np.full(10, 0.8 * np.log1p(money / 0.1)))
    plan = Planner(progress, supply, 0.6, 0.5, 100.0, 500.0)
    chosen = plan.budget(1.0, 100.0)
    every = [plan.outlook(float(x)).cost for x in np.geomspace(0.25, 2.0, 400)]
    assert chosen.cost <= 1.05 * min(every)
    assert chosen.rounds * chosen.budget == chosen.cost


def test_at_rest_means_no_better_round_for_a_while() -> None:
    rising = np.linspace(0.1, 0.5, 30)
    assert not at_rest(rising, 5, 0.001)
    assert not at_rest(rising[:5], 5, 0.001)
    assert at_rest(np.append(rising, np.full(5, 0.5)), 5, 0.001)
    assert not at_rest(np.append(rising, [0.4, 0.4, 0.4, 0.4, 0.502]), 5, 0.001)


def test_shares_that_add_up_to_more_than_all_by_rounding_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    for sizes in rng.uniform(0.1, 3.0, (50, 10)):
        assert CURVE.next(0.3, sizes, np.ones(sizes.size)) > 0.3
