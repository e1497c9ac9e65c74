"""Clients that no scenario knows: other curves, heavy-tailed prices, a third of the fleet dead, few and many."""

import numpy as np
import pytest

import lefi
from benchmarks.others import KINDS, best_within_the_worst_case, fleet
from tests.lengths import covering

LEAST = {
    "root": 0.98,
    "linear": 0.98,
    "step": 0.85,
    "square": 0.9,
}
STEPS = [("two steps", "plain", 0.88), ("three steps", "dead", 0.85), ("logistic", "heavy", 0.93)]
AHEAD = 0.01  # of equal offers, at least: they come to more than some of these lines, where prices are heavy-tailed


@pytest.mark.parametrize(("shape", "kind"), covering(tuple(LEAST), KINDS))
def test_other_clients_are_learned_too(shape: str, kind: str) -> None:
    check(shape, kind, LEAST[shape])


@pytest.mark.parametrize(("shape", "kind", "least"), STEPS)
def test_curves_of_several_steps_are_learned(shape: str, kind: str, least: float) -> None:
    check(shape, kind, least)


def check(shape: str, kind: str, least: float) -> None:
    """At least this share of what is possible, and ahead of equal offers."""
    shares, equal = [], []
    for seed in range(3):
        curves = fleet(shape, 60, seed, kind)
        terms = lefi.Terms(60 * 0.1, lefi.accuracy("paper"))
        market = lefi.Market(terms, curves)
        nothing = float(terms.accuracy(np.zeros(60), curves.roster.iid).mean())
        rounds = 40 if shape == "step" else 25  # one threshold per client is searched, try by try
        receipts = list(lefi.play(lefi.make("waterfill", terms), market, rounds))
        assert all(receipt.paid <= terms.budget for receipt in receipts)
        *_, control = lefi.play(lefi.make("uniform", terms), market, rounds)
        gain = best_within_the_worst_case(curves, terms) - nothing
        shares.append((receipts[-1].accuracy - nothing) / gain)
        equal.append((control.accuracy - nothing) / gain)
    assert np.median(shares) > max(least, np.median(equal) + AHEAD), (shares, equal)


@pytest.mark.parametrize("clients", [1, 3])
def test_few_clients_and_little_money(clients: int) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=0.01 * clients, seed=2)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 25))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    nothing, best = float(market.accuracy_of(np.zeros(clients))), lefi.oracle(market).accuracy
    roster = market.fleet.roster
    equal = lefi.CurveOffer(np.full(clients, 0.005), roster.rate, np.full(clients, 10.0))  # one half of the money
    control = market.settle(1, equal, None).accuracy
    assert receipts[-1].accuracy - nothing > 0.99 * (best - nothing) > control - nothing


@pytest.mark.parametrize("clients", [1, 3])
def test_few_clients_and_money_for_all(clients: int) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=1000.0 * clients, seed=2)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 25))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    assert receipts[-1].accuracy == pytest.approx(lefi.oracle(market).accuracy, abs=1e-9)
