"""The settings of `lefi` that replace a step of the paper: log inputs, exact allocation, limits."""

from typing import Any

import numpy as np
import pytest

import lefi

EXACT: dict[str, Any] = {"inputs": "log", "solve": "exact"}


def shares(rounds: int, **settings: Any) -> tuple[list[float], float]:
    """Share of the oracle's accuracy per round, and the largest payment as a share of the budget."""
    market = lefi.scenario("mixed", seed=3)
    best = lefi.oracle(market).accuracy
    receipts = list(lefi.play(lefi.make("lefi", market.terms, **settings), market, rounds))
    return [receipt.accuracy / best for receipt in receipts], max(r.paid for r in receipts) / market.terms.budget


def test_the_exact_allocation_is_ahead_of_the_step() -> None:
    step, _ = shares(12)
    exact, _ = shares(12, **EXACT)
    assert exact[-1] > step[-1] + 0.01
    assert exact[-1] > 0.98


@pytest.mark.parametrize("solve", ["step", "exact"])
@pytest.mark.parametrize("inputs", ["weight", "log"])
def test_limits_keep_the_budget_in_every_round(solve: str, inputs: str) -> None:
    market = lefi.scenario("noisy", seed=5)
    mechanism = lefi.make("lefi", market.terms, solve=solve, inputs=inputs, limits=True)
    for receipt in lefi.play(mechanism, market, 25):
        assert receipt.offer.worst_case() <= market.terms.budget


def test_warm_start_is_the_papers_with_every_setting() -> None:
    market = lefi.scenario("paper")
    plain, changed = lefi.make("lefi", market.terms), lefi.make("lefi", market.terms, limits=True, **EXACT)
    one, other = plain.ask(market.fleet.roster), changed.ask(market.fleet.roster)
    np.testing.assert_array_equal(one.weight, other.weight)


def test_exact_needs_no_round_before_a_replay() -> None:
    """After a restart receipts are told before anything is asked."""
    market = lefi.scenario("paper")
    first, second = (lefi.make("lefi", market.terms, **EXACT) for _ in range(2))
    receipts = list(lefi.play(first, market, 6))
    for receipt in receipts:
        second.tell(receipt)
    a, b = first.ask(market.fleet.roster), second.ask(market.fleet.roster)
    np.testing.assert_array_equal(a.weight, b.weight)
