"""What is kept of clients, and what the agent is shown of it."""

import numpy as np
import pytest

import lefi
from lefi.agent.reward import reward
from lefi.agent.sight import FAR, NAMES, Job, Standing, noted, sight, unseen

JOB = Job(lefi.accuracy("paper"), 0.0, 10.0)
RATE = np.array([0.5, 0.5])


def test_of_a_rational_client_the_cost_is_found_and_the_cheapest_offer_for_all_it_has() -> None:
    """One client has no cap, the other delivers 4 whatever it gets."""
    seen, cost = unseen((2,)), np.array([0.001, 0.001])
    for weight in (0.5, 0.2, 0.8):
        offered = np.full(2, weight)
        sizes = np.array([np.log(weight * 0.5 / cost[0]) / 0.5, 4.0])
        seen = noted(seen, offered, sizes, RATE, 0.0)
    assert seen.cost[0] == pytest.approx(cost[0] / 0.5)
    assert seen.cheapest.tolist() == [0.8, 0.2]
    assert seen.most.tolist() == [pytest.approx(np.log(400) / 0.5), 4.0]
    assert seen.weight.tolist() == [0.8, 0.8]


def test_who_does_not_answer_leaves_no_trace_and_who_delivers_nothing_no_cost() -> None:
    seen = noted(unseen((2,)), np.array([0.3, 0.3]), np.array([np.nan, 0.0]), RATE, 0.0)
    assert np.isnan(seen.size[0])
    assert seen.size[1] == 0
    assert np.isnan([*seen.cost, *seen.cheapest]).all()
    again = noted(seen, np.array([0.4, 0.4]), np.array([2.0, np.nan]), RATE, 0.0)
    assert again.weight.tolist() == [0.4, 0.3]


def test_what_is_shown_is_finite_and_bounded() -> None:
    rng = np.random.default_rng(0)
    seen = noted(unseen((2,)), np.array([1e9, 0.0]), np.array([10.0, 1.0]), RATE, 0.0)
    for known in (unseen((2,)), seen):
        shown = sight(known, rng.uniform(size=2), RATE, Standing(1e-9, 0.0, 1e6), JOB)
        assert shown.shape == (2, len(NAMES))
        assert np.abs(shown).max() <= FAR


def test_many_markets_are_shown_as_each_alone() -> None:
    rng = np.random.default_rng(1)
    iid, rate, weight = rng.uniform(0.1, 1, size=(3, 4)), rng.uniform(0.4, 1, size=(3, 4)), rng.uniform(size=(3, 4))
    seen = noted(unseen((3, 4)), weight, rng.uniform(0, 9, size=(3, 4)), rate, 0.0)
    budget, scale = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.5, 1.2])
    whole = sight(seen, iid, rate, Standing(budget, np.full(3, 7.0), scale), JOB)
    for at in range(3):
        own = type(seen)(*(part[at] for part in seen))
        alone = sight(own, iid[at], rate[at], Standing(float(budget[at]), 7.0, float(scale[at])), JOB)
        np.testing.assert_array_equal(whole[at], alone)


def test_rewards_run_from_nothing_to_everything_and_overspending_costs() -> None:
    iid = np.array([0.2, 0.9])
    least, most = (float(JOB.accuracy(np.full(2, size), iid).mean()) for size in (0.0, 10.0))
    assert reward(least, iid, 0.0, 5.0, JOB) == pytest.approx(0.0)
    assert reward(most, iid, 5.0, 5.0, JOB) == pytest.approx(1.0)
    assert reward(most, iid, 5.5, 5.0, JOB) == pytest.approx(0.98)
