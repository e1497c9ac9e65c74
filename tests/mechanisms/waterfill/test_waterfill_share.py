"""How much of the oracle's gain waterfill reaches, by round; the full table comes from benchmarks/waterfill.py."""

import numpy as np
import pytest

import lefi
from benchmarks.waterfill import shares
from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.world.behaviours import Behaviour

SEEDS = range(5)


def medians(
    scenario: str, rounds: list[int], budget: float = 0.5, name: str = "waterfill", clients: int = 10
) -> FloatArray:
    table = []
    for seed in SEEDS:
        market = lefi.scenario(scenario, clients=clients, budget=clients * budget, seed=seed)
        row, overspend = shares(name, market, rounds, seed, changing=scenario in ("drifting", "churning"))
        assert name != "waterfill" or overspend <= 0
        table.append(row)
    return np.asarray(np.nanmedian(table, axis=0))


@pytest.mark.parametrize("scenario", ["paper", "capped", "mixed"])
@pytest.mark.parametrize("budget", [0.1, 1.0])
def test_rational_clients(scenario: str, budget: float) -> None:
    five, ten, twenty = medians(scenario, [5, 10, 20], budget)
    assert five >= 0.97
    assert ten >= 0.995
    assert twenty >= 0.997


@pytest.mark.parametrize(("clients", "least"), [(1, 0.98), (3, 0.99)])
def test_very_small_fleets(clients: int, least: float) -> None:
    assert medians("mixed", [8, 9, 10, 11, 12, 20], budget=0.1, clients=clients).min() >= least


def test_a_control_that_cannot_learn_fails_the_same_line() -> None:
    assert medians("mixed", [20], name="uniform")[0] < 0.9


@pytest.mark.parametrize(
    ("scenario", "round", "least"),
    [
        ("noisy", 5, 0.85),
        ("noisy", 10, 0.92),
        ("noisy", 20, 0.94),
        ("reluctant", 20, 0.97),
        ("flaky", 20, 0.98),
        ("stubborn", 30, 0.93),
    ],
)
def test_other_clients(scenario: str, round: int, least: float) -> None:
    assert medians(scenario, [round])[0] >= least


@pytest.mark.parametrize("scenario", ["drifting", "churning"])
def test_fleets_that_change(scenario: str) -> None:
    rounds = list(range(10, 41, 5))
    assert medians(scenario, rounds).mean() >= 0.9


class Dead(Behaviour):
    """A third of the clients never answers anything but 0."""

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.where(self.roster.ids % 3 == 0, 0.0, self.fleet.respond(offer, rng))


def test_dead_clients_get_no_money() -> None:
    base = lefi.scenario("mixed", clients=12, seed=2)
    market = lefi.Market(base.terms, Dead(base.fleet))
    row, overspend = shares("waterfill", market, [20], 0, changing=False)
    assert overspend <= 0
    assert row[0] >= 0.98


@pytest.mark.parametrize("clients", [1, 3, 60])
@pytest.mark.parametrize("budget", [0.01, 1.0])
def test_small_and_odd_numbers_of_clients(clients: int, budget: float) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=budget * clients, seed=1)
    row, overspend = shares("waterfill", market, [20], 0, changing=False)
    assert overspend <= 0
    assert np.isnan(row[0]) or row[0] >= 0.97


def test_with_money_to_spare_all_data_is_bought() -> None:
    market = lefi.scenario("mixed", clients=10, budget=10_000.0)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 10))
    cap = np.minimum(market.fleet.means.cap, 10)  # type: ignore[attr-defined]
    assert (receipts[-1].sizes >= 0.999 * cap).all()


def test_twenty_thousand_clients() -> None:
    market = lefi.scenario("mixed", clients=20_000)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 6))
    best = lefi.oracle(market).accuracy
    assert max(r.paid for r in receipts) <= market.terms.budget
    assert receipts[-1].accuracy > 0.99 * best
