"""`price`: prices are learned, the budget is never passed, and little is left to first_best."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.mechanisms.capacity import Capacity
from lefi.mechanisms.price.brackets import Brackets
from lefi.mechanisms.price.shop import Shop, buy
from tests.lengths import covering


def gains(scenario: str, budget: float, rounds: int, seed: int, **settings: Any) -> list[float]:
    """Share of first_best's gain over size 0, round by round; fails where an offer could pass the budget."""
    market = lefi.scenario(scenario, budget=budget, seed=seed, payment="price", **settings)
    best, nothing = lefi.first_best(market).accuracy, market.accuracy_of(np.zeros(len(market.fleet.roster)))
    found = []
    for receipt in lefi.play(lefi.make("price", market.terms, seed=seed), market, rounds, seed):
        assert receipt.offer.worst_case() <= budget
        clean = market.accuracy_of(market.fleet.respond(receipt.offer, None))
        found.append((clean - nothing) / (best - nothing))
    return found


@pytest.mark.parametrize(("scenario", "budget"), covering(("paper", "capped", "mixed"), (0.03, 0.06)))
def test_it_has_nearly_all_of_first_best_by_round_30(scenario: str, budget: float) -> None:
    for seed in range(3):
        assert gains(scenario, budget, 30, seed)[-1] >= 0.98


def test_it_learns_the_fixed_cost_of_reluctant_clients() -> None:
    market = lefi.scenario("reluctant", clients=20, budget=0.12, seed=1, payment="price")
    mechanism: Any = lefi.make("price", market.terms, seed=1)
    for _ in lefi.play(mechanism, market, 40, 1):
        pass
    means = market.fleet.means  # type: ignore[attr-defined]
    true = means.cost.q / means.cost.p
    assert mechanism.fixed_cost.least <= true <= mechanism.fixed_cost.most
    assert gains("reluctant", 0.12, 50, 1, clients=20)[-1] >= 0.95


def test_it_reaches_what_the_curve_gets_from_5_usd_with_10_cents() -> None:
    for seed in range(3):
        goal = lefi.oracle(lefi.scenario("paper", seed=seed)).accuracy
        market = lefi.scenario("paper", budget=0.10, seed=seed, payment="price")
        *_, last = lefi.play(lefi.make("price", market.terms, seed=seed), market, 20, seed)
        assert last.accuracy >= goal


def test_one_refusal_is_not_final() -> None:
    """A client that refused everything for ten rounds sells later; one that has sold asks for more later."""
    market = lefi.scenario("paper", clients=4, budget=0.03, payment="price", price_factor=(1.0, 1.2))
    mechanism = lefi.make("price", market.terms)
    fleet: Any = market.fleet
    dear = lefi.Market(market.terms, fleet.reprice(np.array([30.0, 1.0, 1.0, 1.0])))
    risen = lefi.Market(market.terms, fleet.reprice(np.full(4, 1.5)))
    for round in range(1, 61):
        now = dear if round <= 10 else market if round <= 35 else risen
        receipt = now.settle(round, mechanism.ask(now.fleet.roster), None)
        mechanism.tell(receipt)
        if round == 35:
            assert receipt.sizes[0] > 0
    assert receipt.paid > 0.9 * 0.03


@pytest.mark.parametrize("scenario", ["noisy", "flaky", "drifting", "churning", "stubborn"])
def test_it_never_passes_the_budget_whatever_the_clients_do(scenario: str) -> None:
    market = lefi.scenario(scenario, budget=0.06, seed=2, payment="price")
    for receipt in lefi.play(lefi.make("price", market.terms, seed=2), market, 40, 2):
        assert receipt.offer.worst_case() <= 0.06
        assert receipt.paid <= 0.06


def test_it_needs_a_fifth_more_money_when_all_hold_out_by_a_fifth() -> None:
    assert gains("paper", 0.06, 40, 3, holdout=0.2)[-1] == pytest.approx(gains("paper", 0.05, 40, 3)[-1], abs=0.12)
    goal = lefi.oracle(lefi.scenario("paper", seed=3)).accuracy
    market = lefi.scenario("paper", budget=0.12, seed=3, payment="price", holdout=0.2)
    *_, last = lefi.play(lefi.make("price", market.terms, seed=3), market, 30, 3)
    assert last.accuracy >= goal


def test_a_hundred_thousand_clients() -> None:
    market = lefi.scenario("mixed", clients=100_000, budget=600.0, payment="price")
    *_, last = lefi.play(lefi.make("price", market.terms), market, 3)
    assert last.offer.worst_case() <= 600
    assert last.paid > 0


def test_buying_beats_every_other_split_of_the_budget() -> None:
    rng = np.random.default_rng(0)
    terms = lefi.scenario("paper").terms
    for _ in range(20):
        unit, iid, cap = rng.uniform(3e-4, 1.4e-3, 6), rng.uniform(0.1, 1, 6), rng.uniform(1, 10, 6)
        shop = Shop(terms.accuracy, iid, unit, cap, 0.0, 0.0, np.zeros(6, dtype=bool))
        sizes, worth = buy(shop, 0.02)
        assert shop.cost(sizes).sum() <= 0.02 * (1 + 1e-9)
        assert worth > 0 or np.array_equal(sizes, cap)
        for _ in range(200):
            other = rng.uniform(0, 1, 6) * cap
            other *= min(1.0, 0.02 / shop.cost(other).sum())
            assert shop.gain(other).sum() <= shop.gain(sizes).sum() + 1e-9


def test_flat_pays_one_price_within_the_budget() -> None:
    market = lefi.scenario("paper", budget=0.15, payment="price")
    offer = lefi.make("flat", market.terms).ask(market.fleet.roster)
    np.testing.assert_allclose(offer.price, 0.0015)
    assert offer.worst_case() <= 0.15
    dearer = lefi.make("flat", market.terms, price=0.01).ask(market.fleet.roster)
    assert dearer.worst_case() <= 0.15


@pytest.mark.parametrize("seed", [0, 4])
def test_a_hundred_clients_with_a_fixed_cost(seed: int) -> None:
    """Share of first_best's gain in round 30, with money for a third of the clients, each of which is whole or lost."""
    market = lefi.scenario("reluctant", clients=100, budget=0.3, seed=seed, payment="price")
    *_, last = lefi.play(lefi.make("price", market.terms, seed=seed), market, 30, seed)
    nothing = market.accuracy_of(np.zeros(100))
    assert (last.accuracy - nothing) / (lefi.first_best(market).accuracy - nothing) >= 0.98


def test_a_refusal_at_the_price_that_was_taken_reopens_the_bracket_despite_rounding() -> None:
    brackets, ids, whole = Brackets(), np.array([7]), np.array([True])
    brackets.tell(ids, np.array([1e-3]), whole, np.array([True]))
    brackets.tell(ids, np.array([1e-3 * (1 - 1e-15)]), whole, np.array([False]))
    assert np.isinf(brackets.read(ids, whole=True)[1])


def test_a_small_delivery_that_is_a_little_short_does_not_tell_the_cap() -> None:
    caps, ids = Capacity(lefi.scenario("paper").terms), np.array([1])
    caps.tell(ids, np.array([0.5]), np.array([0.45]))
    assert not caps.read(ids).seen
    caps.tell(ids, np.array([10.0]), np.array([4.0]))
    assert caps.read(ids).seen
    assert not caps.read(ids).sure
    caps.tell(ids, np.array([4.2]), np.array([4.0]))
    assert caps.read(ids).sure
    assert caps.read(ids).cap == 4.0
