"""Never a cent over the budget, whatever the clients do."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lefi
from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.world.scenarios import SCENARIOS


@dataclass(frozen=True, eq=False)
class Adversary:
    """Clients that answer as `mood` says, with no regard for money: a new mood every round."""

    roster: lefi.Roster
    moods: tuple[str, ...]
    size_high: float

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        n = len(self.roster)
        rng = rng or np.random.default_rng(0)
        answers = {
            "all": np.full(n, self.size_high),
            "none": np.zeros(n),
            "silent": np.full(n, np.nan),
            "dice": rng.uniform(0, self.size_high, n),
            "lies": rng.choice([-1.0, 0.0, 1e-12, 5.0, self.size_high, 1e9, np.nan, np.inf], n),
        }
        return answers[self.moods[0]]

    def advance(self, rng: np.random.Generator) -> "Adversary":
        return Adversary(self.roster, self.moods[1:] + self.moods[:1], self.size_high)


@settings(max_examples=25, deadline=None)
@given(
    clients=st.integers(1, 12),
    budget=st.floats(1e-6, 1e6),
    size_low=st.sampled_from([0.0, 0.5]),
    moods=st.lists(st.sampled_from(["all", "none", "silent", "dice", "lies"]), min_size=1, max_size=4),
    seed=st.integers(0, 1000),
)
def test_adversaries_cannot_make_it_overspend(
    clients: int, budget: float, size_low: float, moods: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    roster = lefi.Roster(np.arange(clients), rng.uniform(0, 1, clients), rng.uniform(0.05, 5, clients))
    terms = lefi.Terms(budget=budget, accuracy=lefi.accuracy("paper"), size_low=size_low)
    market = lefi.Market(terms, Adversary(roster, tuple(moods), terms.size_high))
    for receipt in lefi.play(lefi.make("waterfill", terms, seed=seed), market, 8, seed):
        assert receipt.offer.worst_case() <= budget
        assert receipt.paid <= budget


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_scenario_makes_it_overspend_and_it_learns(name: str) -> None:
    market = lefi.scenario(name, clients=10, seed=2)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms, seed=2), market, 20, 2))
    assert max(receipt.paid for receipt in receipts) <= market.terms.budget
    assert all(receipt.offer.worst_case() <= market.terms.budget for receipt in receipts)


@pytest.mark.parametrize("name", ["paper", "capped", "mixed"])
def test_ten_rounds_reach_the_optimum_of_rational_clients(name: str) -> None:
    shares = []
    for seed in range(5):
        market = lefi.scenario(name, clients=10, seed=seed)
        *_, last = lefi.play(lefi.make("waterfill", market.terms, seed=seed), market, 10, seed)
        *_, equal = lefi.play(lefi.make("uniform", market.terms), market, 1, seed)
        best = lefi.oracle(market).accuracy
        shares.append((last.accuracy - equal.accuracy) / (best - equal.accuracy) if name != "paper" else 1.0)
        assert best - last.accuracy < 5e-4
    assert np.median(shares) > 0.9
