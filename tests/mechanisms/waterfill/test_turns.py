"""Who is served by the formula, who is thought about, and who waits."""

import numpy as np
import pytest

import lefi
from benchmarks.others import fleet
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.memory import unheard
from lefi.mechanisms.waterfill.plain import Plain
from lefi.mechanisms.waterfill.turns import WORK, Groups, Seen, counted, cut, decide, split


def plain(follows: list[bool], rises: list[bool]) -> Plain:
    none = np.zeros(len(follows))
    return Plain(np.array(follows), np.array(rises), none, none, none, none)


def parted(found: Plain, drawn: FloatArray) -> Groups:
    return split(found, drawn, counted(found))


def test_the_formula_serves_who_is_known_and_all_others_of_a_small_fleet_are_thought_about() -> None:
    found = plain([True, False, True, True], [True, False, False, True])
    followed, thought, kept = parted(found, np.full(4, 0.5))
    assert [followed.tolist(), thought.tolist(), kept.tolist()] == [[0, 3], [1, 2], []]


def test_a_round_thinks_about_a_bounded_number_and_the_draw_tells_of_whom() -> None:
    drawn = np.random.default_rng(0).random(5 * WORK)
    _, thought, kept = parted(plain([False] * (5 * WORK), [False] * (5 * WORK)), drawn)
    assert thought.size == pytest.approx(WORK, rel=0.05)
    assert drawn[thought].max() < drawn[kept].min()


def test_who_could_be_plain_is_served_by_the_formula_until_its_turn_comes() -> None:
    drawn = np.random.default_rng(0).random(2 * WORK)
    followed, thought, kept = parted(plain([True] * (2 * WORK), [False] * (2 * WORK)), drawn)
    assert kept.size == 0
    assert drawn[thought].max() < drawn[followed].min()


@pytest.mark.parametrize(("cost", "held", "less"), [(1.0, 1.0, 0.0), (4.0, 1.5, np.log(1.5 / 4))])
def test_what_would_hold_too_much_is_lowered(cost: float, held: float, less: float) -> None:
    """Half of the clients keep offers: half of an equal share is left for each of the others."""
    market = lefi.scenario("mixed", clients=4)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    mechanism.tell(market.settle(1, mechanism.ask(market.fleet.roster), None))
    plan = decide(mechanism.solver(), Seen(0.5, cost, None, unheard(0), None), 2.0)
    assert [plan.spent, plan.less, plan.left] == pytest.approx([held, less, 2.0 - held])


def test_how_many_the_formula_serves_is_known_before_it_is_drawn_whose_turn_it_is() -> None:
    found = plain([True] * (3 * WORK) + [False] * WORK, [True] * WORK + [False] * (3 * WORK))
    groups = parted(found, np.random.default_rng(0).random(4 * WORK))
    assert groups.followed.size == pytest.approx(counted(found).followed, rel=0.01)


def test_those_that_follow_no_formula_are_learned_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round thinks about a third of a fleet that takes all or nothing, and the money still comes to use."""
    monkeypatch.setattr("lefi.mechanisms.waterfill.turns.WORK", 50)
    curves, terms = fleet("step", 150, 1, "plain"), lefi.Terms(150 * 0.1, lefi.accuracy("paper"))
    market = lefi.Market(terms, curves)
    receipts = list(lefi.play(lefi.make("waterfill", terms), market, 25))
    assert all(receipt.offer.worst_case() <= terms.budget for receipt in receipts)
    *_, equal = lefi.play(lefi.make("uniform", terms), market, 25)
    assert receipts[-1].accuracy > equal.accuracy


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
