"""When all prices change at once: it is noticed in that round, and nothing else is taken for it."""

import numpy as np
import pytest

import lefi
from benchmarks import others
from benchmarks.waterfill import shares
from lefi.arrays import IntArray
from lefi.draws import generator
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.mechanism import Waterfill
from tests.lengths import amount

JUMP = 15  # round in which scenario `jump` changes every price


@pytest.mark.parametrize("clients", [10, 100])
def test_a_jump_of_all_prices_costs_a_few_rounds(clients: int) -> None:
    rounds = [JUMP - 1, JUMP, JUMP + 5, JUMP + 10]
    rows = []
    for seed in range(700, amount(705, 703)):
        market = lefi.scenario("jump", clients=clients, seed=seed)
        row, overspend = shares("waterfill", market, rounds, seed, changing=True)
        assert overspend <= 0
        rows.append(row)
    before, hit, after, later = np.median(rows, axis=0)
    assert before >= 0.99
    assert hit < 0.9  # else there was nothing to notice
    assert min(after, later) >= 0.95


@pytest.fixture
def restarts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rounds in which a jump is noticed."""
    found: list[int] = []
    restart = Belief._restart

    def noting(self: Belief, at: IntArray) -> None:
        found.append(self.round)
        restart(self, at)

    monkeypatch.setattr(Belief, "_restart", noting)
    return found


def play_some(scenario: str) -> None:
    for seed in range(720, 724):
        market = lefi.scenario(scenario, clients=20, seed=seed)
        for _ in lefi.play(lefi.make("waterfill", market.terms, seed=seed), market, 25, seed=seed):
            pass


@pytest.mark.parametrize(
    "scenario", ["paper", "mixed", "flaky", "noisy", "reluctant", "stubborn", "drifting", "churning"]
)
def test_nothing_else_is_taken_for_a_jump(scenario: str, restarts: list[int]) -> None:
    play_some(scenario)
    assert restarts == []


@pytest.mark.parametrize(("shape", "kind"), [("two steps", "dead"), ("three steps", "plain"), ("cube", "plain")])
def test_where_few_clients_are_known_their_surprises_tell_nothing(shape: str, kind: str, restarts: list[int]) -> None:
    others.shares(shape, kind, 60, 0.1, 20, seed=730)
    assert restarts == []


def test_a_jump_is_noticed_in_its_round(restarts: list[int]) -> None:
    play_some("jump")
    assert restarts == [JUMP] * 4


def test_who_is_away_at_a_jump_comes_back_as_a_stranger() -> None:
    market = lefi.scenario("jump", clients=12, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Waterfill)
    for t in range(1, JUMP + 1):
        receipt = market.settle(t, mechanism.ask(market.fleet.roster), None)
        if t == JUMP:
            here = np.arange(8)
            offer = lefi.CurveOffer(
                *(part[here] for part in (receipt.offer.weight, receipt.offer.rate, receipt.offer.limit))
            )
            some, sizes = receipt.roster.take(here), receipt.sizes[here]
            receipt = lefi.Receipt(t, some, offer, sizes, offer.payment(sizes), np.nan)
        mechanism.tell(receipt)
        market = market.advance(generator(3, "advance", t))
    assert mechanism.belief is not None
    assert mechanism.belief.ids.size == 8
    assert mechanism.belief.heard.tolist() == [1] * 8
