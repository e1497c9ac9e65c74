"""The tabulated optimum against the exact one, against brute force, and against every mechanism."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np
import pytest

import lefi
from lefi import CurveOffer, Market, RationalFleet, Roster
from lefi.arrays import FloatArray
from lefi.messages import spendable
from lefi.optimum.rational import rational_optimum
from lefi.optimum.tabulated import table_optimum


def reached(market: Market, offer: CurveOffer) -> float:
    receipt = market.settle(1, offer, None)
    assert receipt.paid <= market.terms.budget
    return receipt.accuracy


@pytest.mark.parametrize("name", ["paper", "capped", "mixed"])
@pytest.mark.parametrize(
    ("clients", "budget"), [(1, 0.5), (2, 1e-5), (3, 0.2), (10, 1e-3), (10, 5.0), (10, 500.0), (40, 9.0)]
)
def test_tables_agree_with_the_exact_optimum(name: str, clients: int, budget: float) -> None:
    market = lefi.scenario(name, clients=clients, budget=budget, seed=clients)
    exact, _ = rational_optimum(market, cast(RationalFleet, market.fleet), spendable(budget))
    offer, bound = table_optimum(market, spendable(budget))
    best = reached(market, exact)
    assert best - 1e-6 <= reached(market, offer) <= best + 1e-10
    assert best - 1e-12 <= bound <= best + 2e-5


@dataclass(frozen=True)
class Steps:
    """Clients that deliver a fixed size once the weight reaches their threshold, NaN where they never answer."""

    roster: Roster
    threshold: FloatArray
    size: FloatArray

    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return np.where(offer.weight >= self.threshold, self.size, 0.0)

    def advance(self, rng: Any) -> "Steps":
        return self


def steps_market(case: int, budget: float | None = None) -> Market:
    rng = np.random.default_rng(case)
    market = lefi.scenario("paper", clients=6, seed=case)
    fleet = Steps(market.fleet.roster, np.exp(rng.normal(-1, 1, 6)), rng.uniform(0.5, 9, 6))
    return Market(replace(market.terms, budget=budget or float(rng.uniform(0.1, 2))), fleet)


def brute_force(market: Market) -> float:
    """The best of the 64 ways to pay six clients that jump."""
    fleet = cast(Steps, market.fleet)
    best = 0.0
    for chosen in product((0.0, 1.0), repeat=6):
        offer = CurveOffer(np.array(chosen) * fleet.threshold, fleet.roster.rate, np.full(6, 10.0))
        receipt = market.settle(1, offer, None)
        best = max(best, receipt.accuracy if receipt.paid <= market.terms.budget else 0.0)
    return best


def test_clients_that_jump_against_brute_force() -> None:
    """The bound always holds. The feasible value is mostly the best: the multiplier is no knapsack solver."""
    missed = []
    for case in range(30):
        market = steps_market(case)
        best, optimum = brute_force(market), lefi.oracle(market)
        assert optimum.paid <= market.terms.budget
        assert optimum.accuracy <= best + 1e-12
        assert best <= optimum.bound + 1e-12
        missed.append(best - optimum.accuracy)
    assert np.mean(np.array(missed) < 1e-9) >= 0.8
    assert max(missed) < 0.01


def test_equal_clients_that_jump_are_filled_one_by_one() -> None:
    market = steps_market(1, budget=1.0)
    roster = replace(market.fleet.roster, iid=np.full(6, 0.5))
    same = Market(market.terms, Steps(roster, np.full(6, 0.3), np.full(6, 5.0)))
    assert (lefi.oracle(same).sizes > 0).sum() == 3  # each costs 0.29


@pytest.mark.parametrize("settings", [{"opt_out": True}, {"opt_out": True, "fixed_cost": 20}, {"size_low": 0.5}])
@pytest.mark.parametrize(("clients", "budget"), [(1, 0.02), (3, 0.01), (5, 1.0), (10, 5.0), (10, 400.0)])
def test_fleets_with_a_threshold(settings: dict[str, Any], clients: int, budget: float) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=budget, seed=2, **settings)
    optimum = lefi.oracle(market)
    assert optimum.paid <= budget
    uncapped = lefi.oracle(lefi.scenario("mixed", clients=clients, budget=budget, seed=2))
    if "opt_out" in settings:  # one more reason to say no
        assert optimum.accuracy <= uncapped.accuracy + 1e-9
    rng = np.random.default_rng(0)
    for _ in range(300):
        weight = np.exp(rng.normal(np.log(budget / clients), 1.0, clients))
        receipt = market.settle(1, CurveOffer(weight, market.fleet.roster.rate, np.full(clients, 10.0)), None)
        if receipt.paid <= budget:
            assert receipt.accuracy <= optimum.bound + 1e-9
            assert receipt.accuracy <= optimum.accuracy + 1e-6


def test_when_nobody_answers_the_optimum_is_nothing() -> None:
    for deadline, fleet in ((0.1, None), (60.0, Steps)):
        market = lefi.scenario("mixed", clients=4, deadline=deadline)
        if fleet is not None:
            market = Market(market.terms, Steps(market.fleet.roster, np.full(4, np.inf), np.ones(4)))
        optimum = lefi.oracle(market)
        assert optimum.paid == 0
        assert optimum.accuracy == optimum.bound == market.accuracy_of(np.zeros(4))


def test_a_budget_under_every_threshold_buys_nothing() -> None:
    market = steps_market(3, budget=1e-4)
    optimum = lefi.oracle(market)
    assert optimum.paid == 0
    assert optimum.bound < optimum.accuracy + 1e-3


def test_clients_that_never_answer_are_left_alone() -> None:
    market = steps_market(4)
    fleet = cast(Steps, market.fleet)
    silent = Market(market.terms, replace(fleet, size=np.where(np.arange(6) < 3, np.nan, fleet.size)))
    optimum = lefi.oracle(silent)
    assert np.isfinite(optimum.accuracy)
    assert optimum.accuracy >= silent.accuracy_of(np.zeros(6))
    assert optimum.accuracy <= lefi.oracle(market).bound


def test_noise_does_not_count() -> None:
    calm = lefi.oracle(lefi.scenario("mixed", seed=3))
    for name in ("noisy", "flaky", "drifting", "churning"):
        shaken = lefi.oracle(lefi.scenario(name, seed=3))
        assert shaken.accuracy == calm.accuracy
        assert shaken.bound == calm.bound


class Lazy(RationalFleet):
    """A subclass with a rule of its own must not be taken for rational."""

    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return super().respond(offer, rng) / 2


def test_a_subclass_is_asked_not_assumed() -> None:
    market = lefi.scenario("paper", clients=4)
    names = ("roster", "price", "speed", "cost")
    lazy = Market(market.terms, Lazy(**{name: getattr(market.fleet, name) for name in names}))
    optimum = lefi.oracle(lazy)
    assert optimum.accuracy < lefi.oracle(market).accuracy
    assert optimum.paid > 0.999 * market.terms.budget


def test_accuracy_that_stops_rising_is_not_paid_for() -> None:
    peak = lefi.QuadraticAccuracy(a=-0.002, b=0.07, c=0.0, d=0.016, e=0.01, f=0.07)  # highest at D = 4
    market = lefi.scenario("paper", budget=500.0, accuracy=peak)
    optimum = lefi.oracle(market)
    assert optimum.sizes == pytest.approx(4.0, abs=1e-9)
    tight = lefi.oracle(lefi.scenario("paper", budget=0.1, accuracy=peak))
    assert tight.sizes.max() < 4


def test_accuracy_that_is_not_concave_goes_by_tables() -> None:
    convex = lefi.QuadraticAccuracy(a=0.002, b=0.07, c=0.0, d=0.001, e=0.01, f=0.07)
    market = lefi.scenario("paper", clients=4, budget=1.0, accuracy=convex)
    optimum = lefi.oracle(market)
    even = CurveOffer(np.full(4, 0.25), market.fleet.roster.rate, np.full(4, 10.0))
    assert market.settle(1, even, None).accuracy <= optimum.accuracy + 1e-6
    assert optimum.accuracy <= optimum.bound


def test_a_hundred_thousand_clients_take_seconds() -> None:
    market = lefi.scenario("mixed", clients=100_000)
    optimum = lefi.oracle(market)
    assert 1 - 2e-9 < optimum.paid / market.terms.budget <= 1


def test_huge_rates_do_not_overflow() -> None:
    optimum = lefi.oracle(lefi.scenario("paper", rate=(0.5, 500.0), seed=1))
    assert np.isfinite(optimum.accuracy)
    assert 0 < optimum.paid <= 5


@pytest.mark.parametrize("name", ["paper", "capped", "mixed", "reluctant", "stubborn"])
@pytest.mark.parametrize("mechanism", ["lefi", "random", "uniform"])
@pytest.mark.parametrize("budget", [0.5, 5.0])
def test_no_mechanism_within_the_budget_crosses_the_line(name: str, mechanism: str, budget: float) -> None:
    market = lefi.scenario(name, budget=budget, seed=5)
    optimum = lefi.oracle(market)
    within = [r for r in lefi.play(lefi.make(mechanism, market.terms), market, 25) if r.paid <= budget]
    assert within
    assert max(receipt.accuracy for receipt in within) <= optimum.bound + 1e-9


@pytest.mark.slow
def test_bara_does_not_cross_it_either() -> None:
    market = lefi.scenario("mixed", seed=5)
    within = [r for r in lefi.play(lefi.make("bara", market.terms), market, 15) if r.paid <= market.terms.budget]
    assert max(receipt.accuracy for receipt in within) <= lefi.oracle(market).accuracy + 1e-9
