"""A budget that varies from round to round is followed by every mechanism, and asking for it changes nothing."""

from typing import Any

import numpy as np
import pytest

import lefi

NAMES = sorted(lefi.registered())


def market_of(name: str, **settings: Any) -> lefi.Market:
    return lefi.scenario("mixed", clients=6, seed=2, **settings).taking(lefi.registered()[name].payment)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf"), "5", True])
@pytest.mark.parametrize("name", NAMES)
def test_a_bad_budget_is_refused(name: str, bad: Any) -> None:
    market = market_of(name)
    with pytest.raises(lefi.InputError, match="budget is"):
        lefi.make(name, market.terms).ask(market.fleet.roster, bad)


@pytest.mark.parametrize("name", ["auction", "contest", "contract", "flat", "pool", "price", "principals", "waterfill"])
def test_who_keeps_the_budget_keeps_one_that_varies(name: str) -> None:
    market = market_of(name)
    budgets = np.random.default_rng(4).choice([3.0, 0.5, 0.02, 0.003, 0.0004], 40).tolist()
    receipts = list(lefi.play(lefi.make(name, market.terms, seed=1), market, 40, budgets=budgets))
    assert [receipt.budget for receipt in receipts] == budgets
    for receipt, budget in zip(receipts, budgets, strict=True):
        assert receipt.paid <= receipt.offer.worst_case() * (1 + 1e-15)
        assert receipt.offer.worst_case() <= budget


def test_uniform_finds_each_of_two_budgets_again() -> None:
    market = market_of("uniform")
    budgets = [3.0, 0.6] * 30
    paid = [receipt.paid for receipt in lefi.play(lefi.make("uniform", market.terms), market, 60, budgets=budgets)]
    np.testing.assert_allclose(paid[-2:], [3.0, 0.6], rtol=1e-3)


def test_lefi_asked_for_three_clients_first_offers_six_the_same() -> None:
    market = market_of("lefi")
    roster = market.fleet.roster
    first, second = lefi.make("lefi", market.terms), lefi.make("lefi", market.terms)
    second.ask(roster.take(np.array([0, 2, 4])))
    np.testing.assert_array_equal(first.ask(roster).weight, second.ask(roster).weight)


@pytest.mark.parametrize("name", NAMES)
def test_a_budget_told_again_restores_the_mechanism(name: str) -> None:
    market = market_of(name)
    budgets = [1.0, 0.3, 0.05, 2.0, 0.4, 0.4, 0.01]
    mechanism, twin = (lefi.make(name, market.terms, seed=5) for _ in range(2))
    for receipt in lefi.play(mechanism, market, 7, budgets=budgets):
        twin.tell(receipt)
    for budget in (None, 0.2):
        one, other = (each.ask(market.fleet.roster, budget) for each in (mechanism, twin))
        np.testing.assert_array_equal(one.payment(one.limit), other.payment(other.limit))


def test_one_budget_for_each_round() -> None:
    market = market_of("uniform")
    with pytest.raises(lefi.InputError, match="budgets is '2 of them': it must be one for each of 3 rounds"):
        lefi.play(lefi.make("uniform", market.terms), market, 3, budgets=[1.0, 2.0])
    with pytest.raises(lefi.InputError, match="budget is -1"):
        lefi.play(lefi.make("uniform", market.terms), market, 2, budgets=[1.0, -1.0])
