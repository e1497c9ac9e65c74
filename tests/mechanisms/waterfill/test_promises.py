"""Never over budget, whatever the clients do, and the other promises of a mechanism."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.curves import Offers
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.memory import FORGET
from lefi.mechanisms.waterfill.shared import PRICES
from tests.lengths import examples

SAFE = 1 - 1e-9


def adversary(rng: np.random.Generator, offer: lefi.CurveOffer, high: float) -> FloatArray:
    """Clients that take all they are paid for, claim more, refuse, fall silent, or answer at random."""
    n = offer.weight.size
    all_in, random = np.minimum(offer.limit * (1 + 1e-3), high), high * rng.random(n)
    choice = rng.integers(0, 6, n)
    return np.choose(choice, [all_in, offer.limit, random, np.zeros(n), np.full(n, np.nan), np.round(random)])


@examples(25)
@given(
    clients=st.integers(1, 12),
    log_budget=st.floats(-3, 3),
    size_low=st.sampled_from([0.0, 0.5, 2.0]),
    fastest=st.floats(0.05, 5.0),
    seed=st.integers(0, 2**31),
)
def test_the_worst_case_stays_within_the_budget(
    clients: int, log_budget: float, size_low: float, fastest: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    terms = lefi.Terms(clients * 10**log_budget, lefi.accuracy("paper"), size_low=size_low)
    mechanism = lefi.make("waterfill", terms, seed=seed % 97)
    ids = np.sort(rng.choice(10**6, clients, replace=False)).astype(np.int64)
    roster = lefi.Roster(ids, iid=rng.random(clients), rate=0.05 + fastest * rng.random(clients))
    for round in range(1, 9):
        offer = mechanism.ask(roster)
        assert offer.worst_case() <= terms.budget * SAFE
        assert offer.limit.min() >= size_low
        assert offer.limit.max() <= terms.size_high
        np.testing.assert_array_equal(offer.rate, roster.rate)
        again = mechanism.ask(roster)
        np.testing.assert_array_equal(again.weight, offer.weight)
        np.testing.assert_array_equal(again.limit, offer.limit)
        sizes = adversary(rng, offer, terms.size_high)
        receipt = lefi.Receipt(round, roster, offer, sizes, offer.payment(sizes), np.nan)
        assert receipt.paid <= terms.budget
        mechanism.tell(receipt)


def test_any_accuracy_model_will_do() -> None:
    class Saturating:
        def __call__(self, sizes: FloatArray | float, iid: FloatArray | float) -> FloatArray:
            return np.asarray(0.5 * (1 - np.exp(-np.asarray(sizes) * (0.5 + np.asarray(iid)))))

        def slope(self, sizes: FloatArray | float, iid: FloatArray | float) -> FloatArray:
            return np.asarray(0.5 * (0.5 + np.asarray(iid)) * np.exp(-np.asarray(sizes) * (0.5 + np.asarray(iid))))

    market = lefi.scenario("mixed", clients=10, budget=0.1, accuracy=Saturating())
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 12))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    best, last = lefi.oracle(market).accuracy, market.settle(12, receipts[-1].offer, None).accuracy
    equal = market.settle(12, lefi.make("uniform", market.terms).ask(market.fleet.roster), None).accuracy
    assert last > 0.999 * best > equal


def test_reordering_the_roster_reorders_the_offer() -> None:
    market = lefi.scenario("stubborn", clients=30, seed=4)
    order = np.random.default_rng(0).permutation(30)
    straight, shuffled = (lefi.make("waterfill", market.terms, seed=1) for _ in range(2))
    roster = market.fleet.roster
    for round in range(1, 7):
        a, b = straight.ask(roster), shuffled.ask(roster.take(order))
        np.testing.assert_array_equal(b.weight, a.weight[order])
        np.testing.assert_array_equal(b.limit, a.limit[order])
        receipt = market.settle(round, a, None)
        straight.tell(receipt)
        shuffled.tell(
            lefi.Receipt(round, roster.take(order), b, receipt.sizes[order], receipt.payments[order], receipt.accuracy)
        )


def test_telling_the_receipts_again_restores_it() -> None:
    market = lefi.scenario("churning", clients=20, seed=2, dropout=0.2, noise=0.1)
    mechanism, twin = (lefi.make("waterfill", market.terms, seed=5) for _ in range(2))
    receipts = list(lefi.play(mechanism, market, 15, seed=8))
    for receipt in receipts:
        twin.tell(receipt)
    a, b = mechanism.ask(receipts[-1].roster), twin.ask(receipts[-1].roster)
    np.testing.assert_array_equal(a.weight, b.weight)
    np.testing.assert_array_equal(a.limit, b.limit)


def test_silence_teaches_nothing() -> None:
    market = lefi.scenario("mixed", clients=10, seed=1)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    for receipt in lefi.play(mechanism, market, 5):
        last = receipt
    answers, shared = mechanism.memory.answers.copy(), mechanism.fleet.shared if mechanism.fleet else None
    mechanism.tell(lefi.Receipt(6, last.roster, last.offer, np.full(10, np.nan), np.zeros(10), np.nan))
    for part in ("x", "limit", "y", "when"):
        np.testing.assert_array_equal(mechanism.memory.answers[part], answers[part])
    assert mechanism.fleet is not None
    assert shared is not None
    assert np.abs(mechanism.fleet.shared.mean[0] - shared.mean[0]) < 0.05  # only the fleet's share of it may move


@pytest.mark.parametrize("scenario", ["mixed", "stubborn"])
def test_a_large_fleet_keeps_the_budget_too(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most clients of a large fleet are served without a thought; then all turn on the server at once."""
    monkeypatch.setattr("lefi.mechanisms.waterfill.solver.WORK", 500)
    market = lefi.scenario(scenario, clients=2500, seed=1)
    mechanism = lefi.make("waterfill", market.terms)
    rng, roster = np.random.default_rng(0), market.fleet.roster
    for round in range(1, 15):
        offer = mechanism.ask(roster)
        assert offer.worst_case() <= market.terms.budget * SAFE
        np.testing.assert_array_equal(mechanism.ask(roster).weight, offer.weight)
        sizes = market.settle(round, offer, None).sizes if round < 11 else adversary(rng, offer, 10.0)
        mechanism.tell(lefi.Receipt(round, roster, offer, sizes, offer.payment(sizes), np.nan))


def test_no_nan_reaches_an_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong inside: a client without a number is offered nothing, and the others as before."""

    wrong = Offers.at(np.array([np.nan, np.inf, -3, -3, -3]))
    wrong.limit[:] = [5, 5, np.nan, 5, 5]
    market = lefi.scenario("mixed", clients=5, seed=1)
    mechanism = lefi.make("waterfill", market.terms)
    for _ in range(2):
        mechanism.tell(market.settle(1, mechanism.ask(market.fleet.roster), None))
    monkeypatch.setattr("lefi.mechanisms.waterfill.mechanism.written", lambda *_: wrong)
    offer = mechanism.ask(market.fleet.roster)
    assert offer.weight.tolist() == pytest.approx([0, 0, 0, np.exp(-3), np.exp(-3)])
    assert np.isfinite(offer.limit).all()


def test_clients_that_left_are_forgotten_and_what_the_fleet_learned_stays() -> None:
    market = lefi.scenario("churning", clients=20, seed=2)
    mechanism = lefi.make("waterfill", market.terms, seed=1)
    assert isinstance(mechanism, Waterfill)
    rows = [mechanism.memory.ids.size for _ in lefi.play(mechanism, market, 160)]
    assert max(rows[:60]) > 40  # they come
    assert max(rows[60:]) < 20 + 20 * 0.05 * FORGET * 2  # and go
    assert rows[-1] < 1.5 * rows[60]
    assert mechanism.fleet is not None
    assert mechanism.fleet.shared.doubt[PRICES] < 1  # prices of clients are still known to be much alike


def test_a_client_that_was_bought_is_not_dropped_when_newcomers_need_money() -> None:
    """Windows around the last offers must move down together, instead of dropping one client to make room."""
    market = lefi.scenario("churning", clients=10, budget=10.0, seed=0)
    mechanism = lefi.make("waterfill", market.terms)
    known: dict[int, int] = {}
    for receipt in lefi.play(mechanism, market, 60):
        offer = receipt.offer
        for place, client in enumerate(receipt.roster.ids.tolist()):
            if known.get(client, 0) > 8:
                assert offer.weight[place] > 0, f"round {receipt.round}: client {client} gets nothing"
            known[client] = known.get(client, 0) + 1
        assert receipt.round < 3 or offer.worst_case() > 0.95 * market.terms.budget
