"""Who is thought about, who is served at the price, and how that price is corrected."""

import numpy as np
import pytest

import lefi
from benchmarks.others import fleet
from lefi.arrays import BoolArray, FloatArray
from lefi.mechanisms.waterfill.curves import Offers
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import SAID
from lefi.mechanisms.waterfill.turns import AROUND, SAMPLE, SPARE, WORK, Plan, corrected, cut, hear, turns


def turn(rises: list[bool], drawn: FloatArray) -> BoolArray:
    plain = np.zeros(len(rises), SAID).view(np.recarray)
    plain.rises = rises
    return turns(plain, drawn, len(rises), sum(rises))


def test_all_of_a_small_fleet_are_thought_about() -> None:
    assert turn([True, False, True], np.full(3, 0.5)).all()


def test_a_round_thinks_about_a_bounded_number_and_the_draw_tells_of_whom() -> None:
    drawn = np.random.default_rng(0).random(5 * WORK)
    thought = turn([False] * (5 * WORK), drawn)
    assert thought.sum() == pytest.approx(WORK, rel=0.05)
    assert drawn[thought].max() < drawn[~thought].min()


def test_who_is_known_in_a_large_fleet_is_served() -> None:
    thought = turn([True] * (2 * WORK) + [False] * 5, np.full(2 * WORK + 5, 0.5))
    assert np.flatnonzero(thought).tolist() == list(range(2 * WORK, 2 * WORK + 5))


def test_some_of_the_served_tell_the_price() -> None:
    n = 10 * WORK
    roster, plain = lefi.Roster(np.arange(n), np.ones(n), np.ones(n)), np.zeros(n, SAID).view(np.recarray)
    heard = hear(roster, Memory(), plain, np.arange(n) < 300, n)
    assert heard.ids[heard.thought].tolist() == list(range(300))
    assert (~heard.thought).sum() == pytest.approx(SAMPLE, rel=0.1)
    assert (heard.plain.rises == ~heard.thought).all()  # who is served is taken for what its answers say


@pytest.mark.parametrize("power", [-0.3, -1.0, -2.0])
def test_the_price_is_corrected_by_what_all_spend(power: float) -> None:
    """Spending follows a power of the price; the sample had told that they would spend 4% less than they do."""
    budget, price = 10.0, 0.5
    prices = price * AROUND
    nobody = np.empty(0, dtype=np.int64)
    plan = Plan(nobody, Offers(*np.empty((4, 0))), price, prices, (prices / price) ** power, 0.0, budget)
    now = corrected(plan, 1.04 * budget)
    assert 1.04 * budget * (now.price / price) ** power == pytest.approx(budget * (1 - SPARE), rel=SPARE)


def test_those_of_other_kinds_are_learned_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round thinks about a third of a fleet that takes all or nothing, and the money still comes to use."""
    monkeypatch.setattr("lefi.mechanisms.waterfill.turns.WORK", 200)
    curves, terms = fleet("step", 600, 1, "plain"), lefi.Terms(600 * 0.1, lefi.accuracy("paper"))
    market = lefi.Market(terms, curves)
    receipts = list(lefi.play(lefi.make("waterfill", terms), market, 25))
    assert all(receipt.offer.worst_case() <= terms.budget for receipt in receipts)
    *_, equal = lefi.play(lefi.make("uniform", terms), market, 25)
    assert np.median([receipt.accuracy for receipt in receipts[-6:]]) > equal.accuracy  # at times all offers are cut


@pytest.mark.filterwarnings("error")
def test_where_nobody_delivers_and_some_are_silent_every_offer_is_a_number() -> None:
    market = lefi.scenario("mixed", clients=30, seed=1)
    mechanism, roster = lefi.make("waterfill", market.terms), market.fleet.roster
    for round in range(1, 8):
        offer = mechanism.ask(roster)
        assert isinstance(offer, lefi.CurveOffer)
        assert np.isfinite(offer.weight).all()
        assert 0 < offer.worst_case() <= market.terms.budget
        sizes = np.where(roster.ids % 5 == 0, np.nan, 0.0)
        mechanism.tell(lefi.Receipt(round, roster, offer, sizes, offer.payment(sizes), np.nan))


def test_a_worst_case_above_the_budget_is_cut() -> None:
    offer = lefi.CurveOffer(np.ones(2), np.ones(2), np.ones(2))
    assert cut(offer, 3.0, 4.0) is offer
    assert cut(offer, 4.0, 3.0).weight.tolist() == pytest.approx([0.75, 0.75])
