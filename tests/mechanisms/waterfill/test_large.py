"""Large fleets: who is thought about, who is served at the price, and for how many some stand who tell it."""

import numpy as np
import pytest

import lefi
from benchmarks.others import fleet
from lefi.arrays import BoolArray
from lefi.cells import in_cells
from lefi.mechanisms.division import Round
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.mechanism import DIVISION, Waterfill
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import Plain, serve
from lefi.mechanisms.waterfill.shared import Shared
from lefi.mechanisms.waterfill.solver import SAMPLE, WORK, Look, decide, look, written
from lefi.messages import Roster

TERMS = lefi.Terms(10.0, lefi.accuracy("paper"))
X = (1.0, -2.0, -3.0)  # log weights that tell a rational client: a plateau, and a rise
LAST = -np.exp(X[-1]) * np.expm1(-0.7 * 10)  # what the last of them could cost, USD


def looked(known: BoolArray, budget: float = 0.1) -> tuple[Look, Plain, Shared, Roster]:
    """A fleet of which some clients are known and others were never asked."""
    n, memory, rng = known.size, Memory(), np.random.default_rng(2)
    roster = Roster(np.arange(n), rng.random(n), np.full(n, 0.7))
    b = -5.0 + 0.4 * rng.standard_normal(n)
    for x in X:
        y = np.where(known, np.clip((x - b) / 0.7, 0, 6.0), np.nan)
        memory.note(roster, np.full(n, x), np.full(n, 10.0), y)
    shared = Fleet(TERMS, budget).shared._replace(unknown=max(1 - float(known.mean()), 1 / n), now=float(len(X)))
    return *look(memory, roster, shared, n, seed=1), shared, roster


def test_all_of_a_small_fleet_are_thought_about() -> None:
    seen, plain, *_ = looked(np.array([True, False, True]))
    assert plain.turn.all()
    assert seen.thought.ids.tolist() == [0, 1, 2]
    assert seen.told.ids.size == 0


def test_a_round_thinks_about_a_bounded_number() -> None:
    seen, plain, *_ = looked(np.zeros(5 * WORK, dtype=bool))
    assert plain.turn.sum() == seen.thought.ids.size == pytest.approx(WORK, rel=0.05)


def test_who_is_known_in_a_large_fleet_is_served_and_some_of_them_tell_the_price() -> None:
    n = 5 * WORK
    seen, plain, *_ = looked(np.arange(n) >= 300)
    assert np.flatnonzero(plain.turn).tolist() == list(range(300))
    assert seen.told.ids.size == pytest.approx(SAMPLE, rel=0.1)
    assert (seen.told.ids >= 300).all()
    assert seen.cost.sum() == pytest.approx(LAST * (n - 300))
    assert seen.paid.sum() == pytest.approx(LAST * seen.told.ids.size)


@pytest.mark.parametrize("unlucky", [0.7, 1.0, 1.5])
def test_a_sample_that_is_too_cheap_or_too_dear_tells_nearly_the_right_price(unlucky: float) -> None:
    """Those who tell stand for what all were offered last, so that the budget is met and not passed."""
    n, budget = 5 * WORK, 5 * WORK * 0.05
    seen, plain, shared, roster = looked(np.ones(n, dtype=bool), budget / n)
    dear = np.argsort(serve(TERMS, seen.told, plain[np.isin(roster.ids, seen.told.ids)], 1e-9).cost)  # about b
    few = dear[: int(dear.size * min(unlucky, 1))] if unlucky <= 1 else dear[int(dear.size * (1 - 1 / unlucky)) :]
    told = type(seen.told)._make(column[np.sort(few)] for column in seen.told)
    paid = in_cells(told.ids, np.full(told.ids.size, LAST))
    plan = decide(TERMS, shared, [seen._replace(told=told, paid=paid)], True, Round(4, budget, n))
    spent = written(TERMS, roster, plain, plan).cost.sum()
    assert spent == pytest.approx(budget, rel=0.01 if unlucky == 1 else 0.04)


def test_who_was_silent_counts_for_what_it_was_offered() -> None:
    """Else a fifth of a large fleet, another one every round, would make the budget missed by a percent."""
    market = lefi.scenario("flaky", clients=3000, seed=1)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 14))
    posted = [receipt.offer.worst_case() / market.terms.budget for receipt in receipts[9:]]
    assert min(posted) > 0.999


def test_those_of_other_kinds_are_learned_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round thinks about a third of a fleet that takes all or nothing, and the money still comes to use."""
    monkeypatch.setattr("lefi.mechanisms.waterfill.solver.WORK", 200)
    curves, terms = fleet("step", 600, 1, "plain"), lefi.Terms(600 * 0.1, lefi.accuracy("paper"))
    market = lefi.Market(terms, curves)
    receipts = list(lefi.play(lefi.make("waterfill", terms), market, 25))
    assert all(receipt.offer.worst_case() <= terms.budget for receipt in receipts)
    *_, equal = lefi.play(lefi.make("uniform", terms), market, 25)
    assert np.median([receipt.accuracy for receipt in receipts[-6:]]) > equal.accuracy


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
    mechanism, roster = Waterfill(TERMS), Roster(np.arange(2), np.ones(2), np.ones(2))
    offer, round = lefi.CurveOffer(np.ones(2), np.ones(2), np.ones(2)), mechanism.round(roster, None)
    draft = DIVISION.draft(mechanism, roster, None, None, round)._replace(offer=offer)
    assert DIVISION.scaled(mechanism, draft, 9.9, None, round).weight.tolist() == [1.0, 1.0]
    assert DIVISION.scaled(mechanism, draft, 40.0, None, round).weight.tolist() == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize("clients", [1500, 3000])
def test_with_money_for_all_everything_is_bought(clients: int) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=clients * 1000.0, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    *_, last = lefi.play(mechanism, market, 5)
    assert last.paid <= market.terms.budget
    assert last.accuracy == pytest.approx(lefi.oracle(market).accuracy, abs=1e-6)
