"""Large fleets: each client by itself, at a price that a sample tells, comes to what the exact solver finds."""

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.large import LargeFleet
from lefi.mechanisms.waterfill.line import LEVELS, level
from lefi.mechanisms.waterfill.mechanism import DEPTH, HEIGHT, LOOKS, Waterfill
from lefi.mechanisms.waterfill.tracks import KIND
from lefi.messages import spendable


def taught(clients: int, budget: float, rounds: int = 4) -> tuple[Waterfill, lefi.Market]:
    """A mechanism after some rounds with a mixed fleet, and its market."""
    market = lefi.scenario("mixed", clients=clients, budget=budget * clients, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    for _ in lefi.play(mechanism, market, rounds):
        pass
    return mechanism, market


def large(mechanism: Waterfill, market: lefi.Market) -> tuple[LargeFleet, float]:
    assert mechanism.belief is not None
    roster, budget = market.fleet.roster, spendable(market.terms.budget)
    reach = float(np.log(budget / len(roster)) - DEPTH), float(np.log(budget) + HEIGHT)
    known = mechanism.belief.read(roster.ids, roster.rate, roster.ids % 2 == 1)
    return LargeFleet(roster, known, market.terms, reach, LOOKS), budget


def bought(market: lefi.Market, x: FloatArray, limit: FloatArray) -> tuple[float, float]:
    """Accuracy without noise, and the share of the budget that the offer reserves."""
    offer = lefi.CurveOffer(np.where(x > -300, np.exp(x), 0.0), market.fleet.roster.rate, limit)
    return market.settle(1, offer, None).accuracy, offer.worst_case() / market.terms.budget


@pytest.mark.parametrize("budget", [0.05, 0.5])
def test_it_comes_to_what_the_exact_solver_finds(budget: float) -> None:
    mechanism, market = taught(900, budget)
    fleet, money = large(mechanism, market)
    quick, spent = bought(market, *fleet.plan(money, explore=True))
    exact, _ = bought(market, *mechanism._refine(fleet.roster, fleet.known, money, fleet.reach))
    nothing = market.settle(1, lefi.CurveOffer(np.zeros(900), fleet.roster.rate, np.full(900, 10.0)), None).accuracy
    assert 0.97 < spent <= 1  # never above: scaled down, those who take all or nothing would take nothing
    assert quick - nothing > 0.995 * (exact - nothing)


def test_a_few_clients_tell_the_price() -> None:
    fleet, money = large(*taught(20_000, 0.1))
    few = fleet.take(np.arange(0, 20_000, 10))
    price = few.price(money / 10, 0.0)
    assert fleet.offers(price).cost.sum() == pytest.approx(money, rel=0.05)
    assert few.price(money / 20, price) > 1.05 * price  # less money: it is dearer


def test_with_money_for_all_everything_is_bought() -> None:
    mechanism, market = taught(3000, 1000.0, rounds=3)
    receipt = market.settle(4, mechanism.ask(market.fleet.roster), None)
    assert receipt.paid <= market.terms.budget
    assert receipt.accuracy == pytest.approx(lefi.oracle(market).accuracy, abs=1e-6)


def test_accuracy_between_the_levels() -> None:
    sizes, shares = np.linspace(0, 10, LEVELS), np.linspace(0, 1, 101)
    paper = lefi.accuracy("paper")
    for values, close in ((paper(sizes, 0.3), 1e-15), (1 - np.exp(-0.4 * sizes), 1e-3)):
        wanted = paper(10 * shares, 0.3) if close < 1e-9 else 1 - np.exp(-4 * shares)
        found = [level(values, share) for share in shares]
        np.testing.assert_allclose(found, wanted, atol=close)


def test_only_who_is_bought_keeps_an_offer() -> None:
    """To hold an offer that was refused, or one to a client that is offered nothing now, would lock money up."""
    belief = Belief(start=0.0, floor=0.0, high=10.0)
    ids, rate, limit = np.arange(3), np.full(3, 0.7), np.full(3, 10.0)
    for x in (-1.0, -1.5, -2.0, -1.2, -1.7, -2.2, -1.4):
        bought = np.clip((x + 5) / 0.7, 0, 6)
        belief.tell(ids, rate, np.full(3, x), np.array([bought, 0.0, bought]), limit)
    held = np.array([-1.3, -1.3, -690.0])
    belief.tell(ids, rate, held, np.array([(held[0] + 5) / 0.7, 0.0, np.nan]), limit)
    assert belief.held(ids)[2].tolist() == [True, False, False]
    belief.tell(ids, rate, np.full(3, -1.3), np.full(3, np.nan), limit)  # silence changes nothing
    assert belief.held(ids)[2].tolist() == [True, False, False]


def test_noisy_clients_of_a_large_fleet_are_fitted_in_turns() -> None:
    market = lefi.scenario("noisy", clients=4500, seed=2)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    for receipt in lefi.play(mechanism, market, 10):
        before = mechanism.belief.tracks.copy() if mechanism.belief is not None else None
        if receipt.round in (2, 9):
            mechanism.tell(receipt)
            assert mechanism.belief is not None
            assert before is not None
            anew = (mechanism.belief.tracks[:, 0] != before[:, 0]).any(axis=1).mean()
            assert anew > 0.9 if receipt.round == 2 else 0.15 < anew < 0.5


@pytest.mark.parametrize("scenario", ["mixed", "noisy"])
def test_two_rounds_tell_a_large_fleet_its_noise(scenario: str) -> None:
    market = lefi.scenario(scenario, clients=5000, seed=2)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    for _ in lefi.play(mechanism, market, 2):
        pass
    assert mechanism.belief is not None
    noise = float(np.sqrt(mechanism.belief.fleet_noise))
    assert noise < 2e-3 if scenario == "mixed" else noise == pytest.approx(0.1, rel=0.3)


def test_in_a_large_fleet_that_is_not_rational_all_are_soon_known() -> None:
    """Only voters are suspected of it on their first answer."""
    clients = 5000
    rng = np.random.default_rng(0)
    full, scale = rng.uniform(1, 10, clients), rng.uniform(0.05, 0.5, clients)
    roster = lefi.Roster(np.arange(clients), iid=rng.random(clients), rate=rng.uniform(0.4, 1.1, clients))
    mechanism = lefi.make("waterfill", lefi.Terms(0.1 * clients, lefi.accuracy("paper")))
    assert isinstance(mechanism, Waterfill)
    for t in range(1, 4):
        offer = mechanism.ask(roster)
        money = offer.weight * -np.expm1(-roster.rate * np.minimum(full, offer.limit))
        sizes = np.minimum(full * np.minimum(money / scale, 1), offer.limit)
        mechanism.tell(lefi.Receipt(t, roster, offer, sizes, offer.payment(sizes), 0.0))
    assert mechanism.belief is not None
    linear = np.isin(mechanism.belief.tracks[:, 0, KIND], [2, 3])
    assert linear.mean() > 0.8
