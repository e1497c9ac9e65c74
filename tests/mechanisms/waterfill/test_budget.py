"""Never a cent over the budget, whatever the clients do."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.world.scenarios import SCENARIOS
from tests.lengths import examples


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


@examples(25)
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


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_no_scenario_makes_it_overspend_and_it_learns(name: str) -> None:
    market = lefi.scenario(name, clients=10, seed=2)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms, seed=2), market, 20, 2))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    assert all(receipt.offer.worst_case() <= market.terms.budget for receipt in receipts)


def worst_loss(name: str, scenario: str) -> float:
    """What the tenth round lacks of the optimum, in accuracy, in the worst of five fleets."""
    lost = []
    for seed in range(5):
        market = lefi.scenario(scenario, clients=10, seed=seed)
        *_, last = lefi.play(lefi.make(name, market.terms, seed=seed), market, 10, seed)
        lost.append(lefi.oracle(market).accuracy - last.accuracy)
    return float(np.max(lost))


# Clients of `paper` are so alike that equal offers are all but the optimum: what fails there has to be worse.
@pytest.mark.parametrize(("scenario", "control"), [("paper", "random"), ("capped", "uniform"), ("mixed", "uniform")])
def test_ten_rounds_reach_the_optimum_of_rational_clients_and_a_control_does_not(scenario: str, control: str) -> None:
    loss, other = worst_loss("waterfill", scenario), worst_loss(control, scenario)
    assert loss < 1e-4 < 1e-3 < other
