from dataclasses import replace
from typing import cast

import numpy as np
import pytest

import lefi
from lefi import CurveOffer, Market, RationalFleet, Receipt
from lefi.mechanisms import Uniform
from lefi.mechanisms.uniform import MOST


def weights(receipts: list[Receipt]) -> list[float]:
    found = [cast(CurveOffer, receipt.offer).weight for receipt in receipts]
    assert all((weight == weight[0]).all() for weight in found)
    return [float(weight[0]) for weight in found]


def some(market: Market, clients: int) -> Market:
    return replace(market, fleet=cast(RationalFleet, market.fleet).take(np.arange(clients)))


@pytest.mark.parametrize("name", ["paper", "capped", "mixed"])
@pytest.mark.parametrize("budget", [0.3, 5.0, 60.0])
def test_settles_at_the_budget_from_below(name: str, budget: float) -> None:
    market = lefi.scenario(name, budget=budget)
    receipts = list(lefi.play(lefi.make("uniform", market.terms), market, 60))
    used = np.array([receipt.paid for receipt in receipts]) / budget
    assert ((used[-10:] <= 1) & (used[-10:] >= 1 - 1e-5)).all()
    assert np.ptp(weights(receipts)[-5:]) <= 1e-5 * weights(receipts)[-1]
    assert used.max() <= 2.0


def test_starts_at_an_equal_split_and_grows_by_two_at_most() -> None:
    market = lefi.scenario("paper", budget=20.0)
    found = weights(list(lefi.play(lefi.make("uniform", market.terms), market, 10)))
    assert found[0] == 2.0
    assert (np.array(found[1:]) / found[:-1] <= 2).all()


def test_brackets_between_the_last_fit_and_the_first_overspend() -> None:
    market = lefi.scenario("paper", budget=5.0)
    mechanism = Uniform(market.terms)
    low, high = 0.0, np.inf
    for receipt in lefi.play(mechanism, market, 30):
        weight = weights([receipt])[0]
        assert low <= weight <= high
        low, high = (weight, high) if receipt.paid <= 5.0 else (low, weight)


@pytest.mark.parametrize(("before", "after"), [(10, 5), (5, 10)])
def test_opens_again_after_a_change(before: int, after: int) -> None:
    market = lefi.scenario("mixed")
    mechanism = lefi.make("uniform", market.terms)
    list(lefi.play(mechanism, some(market, before), 60))
    used = [receipt.paid / market.terms.budget for receipt in lefi.play(mechanism, some(market, after), 60)]
    assert abs(used[0] - 1) > 0.3  # the change is felt
    assert 0.99 <= used[-1] <= 1


def test_weights_stay_finite_when_nobody_gives_anything() -> None:
    market = lefi.scenario("paper", deadline=0.1)
    receipts = list(lefi.play(lefi.make("uniform", market.terms), market, 1500))
    assert weights(receipts)[-1] == MOST * market.terms.budget
