"""Menus for types of computation: each type picks its own pair, the last just breaks even, time makes pairs smaller."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.computation import Computation
from lefi.mechanisms.contract import Contract

HIGH = 10.0


def menu(budget: float, **settings: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Costs of the types, sizes and payments of the menu for many clients of one iid, types equally likely."""
    market = lefi.scenario("paper", clients=200, budget=budget * 20, payment="menu", iid=0.5)
    mechanism = lefi.make("contract", market.terms, prior="known", apart=0.0, **settings)
    assert isinstance(mechanism, Contract)
    ids, types = market.fleet.roster.ids, (np.arange(200) % 8).astype(float)
    mechanism.lowest.write(ids, types)  # the types are known, so that pairs differ
    mechanism.highest.write(ids, types)
    offer = mechanism.ask(market.fleet.roster)
    return mechanism.kappa, offer.sizes[0], offer.payments[0]  # client 0 is of the cheapest type and sees all pairs


@pytest.mark.parametrize("budget", [0.02, 0.06, 0.15])
@pytest.mark.parametrize("latency", [0.0, 0.01])
def test_each_type_picks_its_own_pair_and_none_loses(budget: float, latency: float) -> None:
    """The claim of the source: the menu is incentive compatible and individually rational, sizes rise with ability."""
    kappa, sizes, paid = menu(budget, cost="square", latency=latency)
    kept = paid - kappa[:, None] * sizes**2 / HIGH  # of each type, at each pair
    own = np.diag(kept)
    assert (own >= kept.max(axis=1) - 1e-12).all()
    assert (own >= -1e-12).all()
    assert own[-1] == pytest.approx(0, abs=1e-12)
    assert (np.diff(sizes) <= 1e-9).all()
    assert np.ptp(sizes) > 0.1 or budget == 0.15


def test_a_menu_for_linear_costs_does_not_fit_square_ones() -> None:
    """The control: with it types of computation would do better at the pairs of others."""
    kappa, sizes, paid = menu(0.06)
    kept = paid - kappa[:, None] * sizes**2 / HIGH
    assert (np.diag(kept) < kept.max(axis=1) - 1e-6).any()


def test_time_that_counts_makes_pairs_smaller() -> None:
    for cost in ("linear", "square"):
        sums = [menu(0.15, cost=cost, latency=latency)[1].sum() for latency in (0.0, 0.01, 0.03)]
        assert sums[0] > sums[1] > sums[2]


@pytest.mark.parametrize("square", [False, True])
def test_the_slope_is_that_of_the_value(square: bool) -> None:
    model = Computation(lefi.accuracy("paper"), HIGH, square, 0.01)
    y, h = np.linspace(0.5, 9.5, 10), 1e-6
    np.testing.assert_allclose(model.slope(y, 0.5), (model(y + h, 0.5) - model(y - h, 0.5)) / (2 * h), rtol=1e-5)
    np.testing.assert_allclose(model.work(model.size_of(y)), y)


@pytest.mark.parametrize("cost", ["linear", "square"])
def test_no_round_owes_more_than_the_budget(cost: str) -> None:
    market = lefi.scenario("convex", budget=0.06, payment="menu")
    mechanism = lefi.make("contract", market.terms, cost=cost, latency=0.003, cost_high=0.02)
    for receipt in lefi.play(mechanism, market, 10):
        assert receipt.offer.worst_case() <= 0.06
    assert receipt.accuracy > 0.1


BAD = [
    "contract(cost=cubic)",
    "contract(latency=-1)",
    "contest(prizes=many)",
    "contest(ranking=luck)",
    "contest(jury=0)",
]


@pytest.mark.parametrize("written", BAD)
def test_bad_settings_are_refused(written: str) -> None:
    with pytest.raises(lefi.InputError, match=r"^cont(ract|est)\.\w+ is "):
        lefi.make(written, lefi.scenario("paper").terms)
