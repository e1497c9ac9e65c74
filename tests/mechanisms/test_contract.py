"""`contract` in play: it learns types from picks, and keeps the budget in every round."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.mechanisms.contract import Contract


def test_a_client_that_becomes_cheaper_is_found_out() -> None:
    market = lefi.scenario("paper", budget=0.06, payment="menu", price_factor=(0.5, 0.8), iid=0.5)
    fleet: Any = market.fleet
    dear = lefi.Market(market.terms, fleet.reprice(np.array([2.0] + [1.0] * 9)))
    mechanism = lefi.make("contract", market.terms)
    sizes = []
    for round in range(1, 61):
        now = dear if round <= 20 else market
        receipt = now.settle(round, mechanism.ask(now.fleet.roster), None)
        mechanism.tell(receipt)
        sizes.append(receipt.sizes[0])
    assert sizes[-1] > sizes[19]


def test_what_clients_pick_teaches_the_shares_of_the_types() -> None:
    market = lefi.scenario("paper", clients=400, budget=2.4, payment="menu", price_factor=(0.5, 0.9))
    mechanism = lefi.make("contract", market.terms)
    assert isinstance(mechanism, Contract)
    spent = [receipt.paid for receipt in lefi.play(mechanism, market, 15)]
    share = mechanism._shares()
    assert share[:3].sum() > 0.9  # no client costs more than 0.9 of the market price: the lower part of the range
    assert 0.9 < spent[-1] / 2.4 <= 1


@pytest.mark.parametrize("size_low", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("budget", [0.003, 0.06])
def test_no_round_owes_more_than_the_budget(size_low: float, budget: float) -> None:
    market = lefi.scenario("mixed", budget=budget, payment="menu", size_low=size_low)
    for receipt in lefi.play(lefi.make("contract", market.terms), market, 12):
        assert receipt.offer.worst_case() <= budget


def played(apart: float) -> list[float]:
    market = lefi.scenario("paper", budget=0.06, payment="menu")
    return [receipt.accuracy for receipt in lefi.play(lefi.make("contract", market.terms, apart=apart), market, 5)]


def test_pairs_set_apart_teach_the_types_in_one_round() -> None:
    """A pooled pair teaches nothing: with it, the control, the fifth round is the first."""
    pooled, learned = played(0.0), played(0.02)
    assert pooled[4] == pytest.approx(pooled[0], abs=1e-9)
    assert learned[0] == pytest.approx(pooled[0], abs=5e-4)
    assert learned[1] > pooled[0] + 0.02
