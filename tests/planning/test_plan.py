"""Plans: exact against brute force, money kept, words for what cannot be."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import InputError, Market, Plan
from lefi.planning import Surface, by_rounds, surface
from lefi.world.client import expense
from lefi.world.scaled import scaled_market

LEARNING = replace(lefi.learning("cifar10"), others=lefi.learning("cifar10").others[:3], rounds_range=(1.0, 40.0))


def market(payment: str = "price", seed: int = 0, clients: int = 2) -> Market:
    return scaled_market("mixed", "cifar10", 5.0, seed=seed, clients=clients, payment=payment)


@pytest.fixture(scope="module")
def by_price() -> Plan:
    return lefi.plan(market(), LEARNING, target=0.3)


@pytest.mark.parametrize("payment", ["price", "curve"])
def test_the_cheapest_way_is_that_of_brute_force(payment: str, by_price: Plan) -> None:
    """Every number of rounds on a dense grid of budgets, whose step is what may be missing."""
    budgets = 30
    found = by_price if payment == "price" else lefi.plan(market(payment), LEARNING, target=0.3)
    assert found.accuracy.middle >= 0.3
    assert found.cost.middle == pytest.approx(found.rounds * found.budget, rel=1e-6)
    dense = surface([market(payment)], LEARNING, budgets=np.geomspace(found.budget / 2, 2 * found.budget, budgets))
    brute = float(np.where(dense.middle >= 0.3, dense.cost, np.inf).min())
    assert brute / 4 ** (1 / budgets) / 1.002 <= found.cost.middle <= brute * 1.002


def test_a_sum_buys_what_brute_force_finds_and_is_not_passed() -> None:
    found = lefi.plan(market(), LEARNING, total=0.2)
    assert found.cost.middle <= 0.2
    dense = surface([market()], LEARNING, budgets=np.geomspace(found.budget / 2, 2 * found.budget, 30))
    assert found.accuracy.middle >= dense.middle[dense.cost <= 0.2].max() - 2e-4


def test_more_money_buys_more_and_a_target_costs_what_its_sum_buys(by_price: Plan) -> None:
    seen = by_price.surface
    poor, rich = (lefi.plan(market(), LEARNING, total=total, seen=seen) for total in (0.05, 0.2))
    assert poor.accuracy.middle < rich.accuracy.middle
    back = lefi.plan(market(), LEARNING, target=rich.accuracy.middle - 1e-6, seen=rich.surface)
    assert back.cost.middle <= rich.cost.middle
    assert back.cost.middle == pytest.approx(rich.cost.middle, rel=0.02)


def test_fleets_and_fits_make_intervals(by_price: Plan) -> None:
    many = lefi.plan([market(), market(seed=1)], LEARNING, target=0.3)
    assert many.surface.accuracy.shape[:2] == (2, 4)
    assert many.accuracy.high - many.accuracy.low > by_price.accuracy.high - by_price.accuracy.low > 0
    assert many.accuracy.low < many.accuracy.middle < many.accuracy.high
    assert many.cost.low < many.cost.high


def test_the_price_of_a_target_by_rounds(by_price: Plan) -> None:
    budgets, costs = by_rounds(by_price.surface, 0.3)
    assert costs.shape == (40,)
    assert np.isinf(costs[0])
    assert np.isinf(budgets[0])
    assert costs.min() == pytest.approx(by_price.cost.middle, rel=5e-3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "one of them given"),
        ({"target": 0.5, "total": 1.0}, "one of them given"),
        ({"target": 0.95}, r"at most 0\.\d+: these clients reach no more in 40 rounds"),
        ({"target": 0.01}, "above 0.092, the accuracy before the first round"),
        ({"target": 1.5}, r"in \[0, 1\]"),
        ({"target": float("nan")}, "finite"),
        ({"total": float("nan")}, "finite"),
        ({"total": 1e-9}, "less does not pay for one round"),
        ({"total": -1.0}, "> 0"),
        ({"target": 0.3, "rounds": 0}, "from 1 to"),
    ],
)
def test_what_cannot_be_planned_is_said(asked: dict[str, Any], words: str, by_price: Plan) -> None:
    with pytest.raises(InputError, match=words):
        lefi.plan(market(), LEARNING, **asked, seen=None if "rounds" in asked else by_price.surface)


def test_only_ways_of_paying_with_an_optimum_and_clients_with_costs() -> None:
    with pytest.raises(InputError, match="exact optimum"):
        lefi.plan(market("menu"), LEARNING, target=0.3)
    with pytest.raises(InputError, match="at least 1"):
        lefi.plan([], LEARNING, target=0.3)


def test_progress_counts_every_optimum() -> None:
    told: list[tuple[int, int]] = []
    found = surface([market()], LEARNING, budgets=np.array([0.01, 0.02]), progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]
    assert isinstance(found, Surface)
    assert (found.accuracy[:, :, 1] >= found.accuracy[:, :, 0] - 0.02).all()


def test_a_plan_says_what_its_budget_delivers(by_price: Plan) -> None:
    terms = replace(market().terms, budget=by_price.budget)
    best = lefi.first_best(replace(market(), terms=terms))
    reached = float(LEARNING.joint(best.sizes, best.roster.iid, float(by_price.rounds)))
    assert reached == pytest.approx(by_price.accuracy.middle)


def test_money_buys_more_clients_before_larger_sizes_so_that_more_of_it_can_be_slower() -> None:
    """Why a target can cost more in more rounds, as docs/plan.md says: a plan that minds speed makes it false."""
    digits, clients = lefi.learning("digits"), scaled_market("mixed", "digits", 0.1438, seed=1, payment="price")
    few, many = (lefi.first_best(replace(clients, terms=replace(clients.terms, budget=b))) for b in (0.0137, 0.0182))
    assert (many.sizes > 0).sum() > (few.sizes > 0).sum()
    assert many.sizes.max() < few.sizes.max()
    assert many.accuracy > few.accuracy
    after = [float(digits.joint(best.sizes, best.roster.iid, 20.0)) for best in (few, many)]
    assert after[1] < after[0] - 0.05


def test_a_few_whole_clients_would_train_faster_for_half_the_money() -> None:
    """What docs/plan.md says that plans do not look for."""
    digits, clients = lefi.learning("digits"), scaled_market("mixed", "digits", 0.1438, seed=1, payment="price")
    best = lefi.first_best(replace(clients, terms=replace(clients.terms, budget=0.036)))
    fleet: Any = clients.fleet
    cap = fleet.means.cap
    order = np.argsort(expense(fleet, cap) / cap)
    three = [at for at in order if cap[at] > 0.08][:3]  # the cheapest; slow ones never deliver all they own
    sizes = np.where(np.isin(np.arange(len(cap)), three), cap, 0.0)
    assert expense(fleet, sizes).sum() < best.paid / 2
    few, all_of_them = (float(digits.joint(s, best.roster.iid, 10.0)) for s in (sizes, best.sizes))
    assert few > all_of_them + 0.05
