"""How much of the oracle's gain waterfill reaches, by round; the full table comes from benchmarks/waterfill.py.

Every line is also held against a control that learns nothing, and that has to miss it: equal offers, or arbitrary
ones where equal offers are all but the optimum.
"""

from dataclasses import replace

import numpy as np
import pytest

import lefi
from benchmarks.waterfill import arbitrary, shares
from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.world.behaviours import Behaviour
from tests.lengths import amount, covering

SEEDS = range(amount(5, 3))


class Half:
    """A control: equal offers that use half of the budget."""

    def __init__(self, terms: lefi.Terms, *, seed: int = 0) -> None:
        self.equal = lefi.make("uniform", replace(terms, budget=0.5 * terms.budget))

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> Offer:
        return self.equal.ask(roster)

    def tell(self, receipt: lefi.Receipt) -> None:
        self.equal.tell(receipt)


@pytest.fixture
def half() -> None:
    """A control that is known while a test lasts."""
    lefi.register("half")(Half)


def medians(
    scenario: str, rounds: list[int], budget: float = 0.5, name: str = "waterfill", clients: int = 10
) -> FloatArray:
    table = []
    for seed in SEEDS:
        market = lefi.scenario(scenario, clients=clients, budget=clients * budget, seed=seed)
        row, overspend = shares(name, market, rounds, seed, changing=scenario in ("drifting", "churning"))
        assert name != "waterfill" or overspend <= 0
        table.append(row)
    assert np.isfinite(table).all(), "a share is undefined: the oracle gains next to nothing here"
    return np.asarray(np.median(table, axis=0))


@pytest.mark.parametrize(("scenario", "budget"), covering(("paper", "capped", "mixed"), (0.1, 1.0)))
def test_rational_clients(scenario: str, budget: float) -> None:
    control = "random" if scenario == "paper" else "uniform"
    five, ten, twenty = medians(scenario, [5, 10, 20], budget)
    assert five >= 0.95
    assert ten >= 0.998
    assert twenty >= 0.999
    assert medians(scenario, [20], budget, name=control)[0] < 0.9


@pytest.mark.parametrize(("clients", "least", "control"), [(1, 0.98, "half"), (3, 0.99, "uniform")])
@pytest.mark.usefixtures("half")
def test_very_small_fleets(clients: int, least: float, control: str) -> None:
    rounds = [8, 9, 10, 11, 12, 20]
    assert medians("mixed", rounds, budget=0.1, clients=clients).min() >= least
    assert medians("mixed", rounds, budget=0.1, clients=clients, name=control).max() < least


@pytest.mark.parametrize(
    ("scenario", "least"),
    [
        ("noisy", {10: 0.92, 20: 0.94}),
        ("reluctant", {20: 0.97}),
        ("flaky", {20: 0.98}),
        ("stubborn", {30: 0.97}),
    ],
)
def test_other_clients(scenario: str, least: dict[int, float]) -> None:
    line = np.array(list(least.values()))
    assert (medians(scenario, list(least)) >= line).all()
    assert (medians(scenario, list(least), name="uniform") < line).all()


@pytest.mark.parametrize("scenario", ["drifting", "churning"])
def test_fleets_that_change(scenario: str) -> None:
    rounds = list(range(10, 41, 5))
    assert medians(scenario, rounds).mean() >= 0.9 > medians(scenario, rounds[-1:], name="uniform")[0]


class Dead(Behaviour):
    """A third of the clients never answers anything but 0."""

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.where(self.roster.ids % 3 == 0, 0.0, self.fleet.respond(offer, rng))


def test_dead_clients_get_no_money() -> None:
    base = lefi.scenario("mixed", clients=12, seed=2)
    market = lefi.Market(base.terms, Dead(base.fleet))
    row, overspend = shares("waterfill", market, [20], 0, changing=False)
    assert overspend <= 0
    assert row[0] >= 0.98 > shares("uniform", market, [20], 0, changing=False)[0][0]


# One client, or three with money to spare, are bought whole by equal offers too; half of the money does not do.
@pytest.mark.parametrize(("clients", "budget"), [(1, 0.01), (3, 0.01), (60, 0.01), (1, 0.2), (3, 0.2), (60, 1.0)])
@pytest.mark.usefixtures("half")
def test_small_and_odd_numbers_of_clients(clients: int, budget: float) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=budget * clients, seed=1)
    row, overspend = shares("waterfill", market, [20], 0, changing=False)
    assert overspend <= 0
    assert row[0] >= 0.97 > shares("half", market, [20], 0, changing=False)[0][0]


def test_with_money_to_spare_all_data_is_bought() -> None:
    market = lefi.scenario("mixed", clients=10, budget=10_000.0)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 10))
    cap = np.minimum(market.fleet.means.cap, 10)  # type: ignore[attr-defined]
    assert (receipts[-1].sizes >= 0.999 * cap).all()


def test_twenty_thousand_clients() -> None:
    market = lefi.scenario("mixed", clients=20_000)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 6))
    best = lefi.oracle(market).accuracy
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    *_, equal = lefi.play(lefi.make("uniform", market.terms), market, 6)
    base = arbitrary(market, 0)
    assert receipts[-1].accuracy - base > 0.99 * (best - base) > 1.5 * (equal.accuracy - base) > 0
