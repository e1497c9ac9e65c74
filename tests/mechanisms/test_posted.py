"""`posted`: learns from the other group, keeps the budget, and stands odd fleets, newcomers and drift."""

import numpy as np
import pytest

import lefi
from lefi.mechanisms.posted import Posted


def gains(name: str, scenario: str, clients: int, rounds: int, each: float = 0.003, seed: int = 0) -> np.ndarray:
    market = lefi.scenario(scenario, clients=clients, budget=each * clients, seed=seed, payment="price")
    receipts = list(lefi.play(lefi.make(name, market.terms, seed=seed), market, rounds, seed))
    assert all(receipt.offer.worst_case() <= market.terms.budget for receipt in receipts)
    nothing = market.terms.accuracy(np.zeros(clients), market.fleet.roster.iid).mean()
    return np.array([receipt.accuracy for receipt in receipts]) - nothing


@pytest.mark.parametrize("scenario", ["paper", "mixed", "drifting", "churning", "flaky"])
def test_learning_beats_the_price_of_the_first_round_and_flat(scenario: str) -> None:
    learned = gains("posted", scenario, 60, 24)[12:].mean()
    assert learned > gains("posted(learn=false)", scenario, 60, 24)[12:].mean()
    assert learned > gains("flat", scenario, 60, 24)[12:].mean()


@pytest.mark.parametrize("clients", [1, 2, 3])
def test_small_and_odd_fleets_buy_something(clients: int) -> None:
    assert gains("posted", "paper", clients, 20)[10:].mean() > 0


def test_a_group_is_taught_by_the_other_one_alone() -> None:
    market = lefi.scenario("paper", clients=30, budget=0.3, payment="price")
    roster = market.fleet.roster
    honest, twisted = Posted(market.terms), Posted(market.terms)
    own = honest._groups(roster.ids)
    assert 5 < own.sum() < 25
    for round in range(1, 6):
        receipt = market.settle(round, honest.ask(roster), None)
        honest.tell(receipt)
        sizes = np.where(own == 0, 0.0, receipt.sizes)
        twisted.tell(lefi.Receipt(round, roster, receipt.offer, sizes, receipt.offer.payment(sizes), 0.1))
    first, second = honest.ask(roster).price, twisted.ask(roster).price
    np.testing.assert_array_equal(first[own == 0], second[own == 0])
    assert second[own == 1].mean() > first[own == 1].mean()


def test_much_money_buys_nearly_everything() -> None:
    market = lefi.scenario("paper", clients=20, budget=20.0, payment="price")
    *_, last = lefi.play(lefi.make("posted", market.terms), market, 30)
    assert np.median(last.sizes) > 9.5
