"""Clients that no scenario knows: other curves, heavy-tailed prices, a third of the fleet dead, few and many."""

import numpy as np
import pytest

import lefi
from benchmarks.others import KINDS, best_within_the_worst_case, fleet

LEAST = {
    "root": 0.93,
    "linear": 0.95,
    "step": 0.9,
    "square": 0.9,
    "two steps": 0.88,
    "logistic": 0.9,
    "three steps": 0.8,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("shape", "least"), LEAST.items())
def test_other_clients_are_learned_too(shape: str, least: float, kind: str) -> None:
    shares = []
    for seed in range(3):
        curves = fleet(shape, 60, seed, kind)
        terms = lefi.Terms(60 * 0.1, lefi.accuracy("paper"))
        market = lefi.Market(terms, curves)
        nothing = float(terms.accuracy(np.zeros(60), curves.roster.iid).mean())
        rounds = 40 if shape == "step" else 25  # one threshold per client is searched, try by try
        receipts = list(lefi.play(lefi.make("waterfill", terms), market, rounds))
        assert all(receipt.paid <= terms.budget for receipt in receipts)
        shares.append((receipts[-1].accuracy - nothing) / (best_within_the_worst_case(curves, terms) - nothing))
    assert np.median(shares) > least, shares


@pytest.mark.parametrize("clients", [1, 3])
@pytest.mark.parametrize("budget", [0.01, 1000.0])
def test_few_clients_and_any_budget(clients: int, budget: float) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=budget * clients, seed=2)
    best = lefi.oracle(market)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 25))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    nothing = float(market.accuracy_of(np.zeros(clients)))
    assert receipts[-1].accuracy - nothing > 0.93 * (best.accuracy - nothing)
