"""principals: best answers of sellers converge, and where they end nobody gains by posting something else."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import BoolArray, FloatArray
from lefi.offers.principals import MANY, STEP, answers, clearing


def drawn(seed: int, clients: int = 10) -> tuple[FloatArray, FloatArray, float]:
    """Costs of a unit of value, sorted, values that are sold, and a budget that buys a part of them."""
    rng = np.random.default_rng(seed)
    s = rng.uniform(1, 10, clients)
    return np.sort(rng.uniform(0.5, 2, clients)), s, float(rng.uniform(0.2, 1.5) * s.sum())


def bought(asked: FloatArray, s: FloatArray, budget: float) -> BoolArray:
    order = np.argsort(asked, kind="stable")
    result = np.zeros(asked.size, dtype=bool)
    result[order] = np.cumsum((asked * s)[order]) <= budget
    return result


@pytest.mark.parametrize("seed", range(12))
def test_answers_converge_to_one_price_that_nobody_gains_by_leaving(seed: int) -> None:
    """The claim of the source: iterated best answers of the principals end in an equilibrium."""
    d, s, budget = drawn(seed)
    asked = answers(d, s, budget, d)
    sells = bought(asked, s, budget)
    kept = np.where(sells, (asked - d) * s, 0.0)
    one = clearing(d, s, budget).max(where=clearing(d, s, budget) > d, initial=0.0)
    if sells.any() and one > 0:
        np.testing.assert_allclose(asked[sells & (kept > 1e-9)], one, rtol=8 * STEP)
    for client in range(d.size):
        for factor in np.concatenate([np.linspace(0.3, 0.99, 30), np.linspace(1.01, 3.0, 60)]):
            other = asked.copy()
            other[client] *= factor
            earns = (other[client] - d[client]) * s[client] if bought(other, s, budget)[client] else 0.0
            assert earns <= kept[client] + 8 * STEP * asked[client] * s[client]


def test_asking_the_cost_is_no_equilibrium() -> None:
    """The control: from there every seller gains by asking more."""
    d, s, budget = drawn(3)
    other, first = d.copy(), 0
    other[first] *= 1.01
    assert bought(d, s, budget)[first]
    assert bought(other, s, budget)[first]


def test_a_large_fleet_asks_what_answers_would_lead_to() -> None:
    """Above MANY clients the price is computed, and the server gets as much for its money as from answers."""
    gained = []
    for clients in (MANY, MANY + 1):
        market = lefi.scenario("mixed", clients=clients, budget=0.006 * clients, seed=1, payment="auction")
        receipt = next(iter(lefi.play(lefi.make("principals", market.terms), market, 1)))
        gained.append(receipt.accuracy - market.accuracy_of(np.zeros(clients)))
        assert 0.9 * market.terms.budget < receipt.paid <= market.terms.budget
    assert gained[1] == pytest.approx(gained[0], rel=0.05)


@pytest.mark.parametrize("settings", [{}, {"opt_out": True, "fixed_cost": 20}, {"kinds": ("convex_cost",)}])
def test_nobody_sells_below_its_cost_and_the_budget_is_kept(settings: dict[str, Any]) -> None:
    for seed in range(4):
        market = lefi.scenario("mixed", budget=0.06, seed=seed, payment="auction", **settings)
        receipt = next(iter(lefi.play(lefi.make("principals", market.terms), market, 1, seed)))
        fleet: Any = market.fleet
        free = lefi.PriceOffer(np.zeros(10), np.full(10, 10.0))
        least = fleet.utility(free, fleet.respond(free, None))
        assert (fleet.utility(receipt.offer, receipt.sizes) >= least - 1e-9).all()
        assert receipt.offer.worst_case() <= 0.06


def test_sellers_who_lead_end_at_about_the_price_of_the_auction() -> None:
    accuracy = {}
    for name in ("auction", "principals"):
        market = lefi.scenario("paper", clients=30, budget=0.18, seed=2, payment="auction")
        accuracy[name] = next(iter(lefi.play(lefi.make(name, market.terms), market, 1))).accuracy
    assert accuracy["principals"] == pytest.approx(accuracy["auction"], abs=0.01)
