"""When all prices change at once: it is noticed in that round, and nothing else is taken for it."""

import numpy as np
import pytest

import lefi
from benchmarks.waterfill import shares
from lefi.draws import generator
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.mechanism import Waterfill

JUMP = 15  # round in which scenario `jump` changes every price


@pytest.mark.parametrize("clients", [10, 100])
def test_a_jump_of_all_prices_costs_a_few_rounds(clients: int) -> None:
    rounds = [JUMP - 1, JUMP, JUMP + 5, JUMP + 10]
    rows = []
    for seed in range(700, 705):
        market = lefi.scenario("jump", clients=clients, seed=seed)
        row, overspend = shares("waterfill", market, rounds, seed, changing=True)
        assert overspend <= 0
        rows.append(row)
    before, hit, after, later = np.median(rows, axis=0)
    assert before >= 0.99
    assert hit < 0.9  # else there was nothing to notice
    assert min(after, later) >= 0.95


def restarts(scenario: str, monkeypatch: pytest.MonkeyPatch, rounds: int = 25) -> list[int]:
    """The rounds in which a jump was noticed, over some fleets."""
    found: list[int] = []
    restart = Belief._restart

    def noting(self: Belief, at: np.ndarray) -> None:
        found.append(self.round)
        restart(self, at)

    monkeypatch.setattr(Belief, "_restart", noting)
    for seed in range(720, 724):
        market = lefi.scenario(scenario, clients=20, seed=seed)
        for _ in lefi.play(lefi.make("waterfill", market.terms, seed=seed), market, rounds, seed=seed):
            pass
    return found


@pytest.mark.parametrize(
    "scenario", ["paper", "mixed", "flaky", "noisy", "reluctant", "stubborn", "drifting", "churning"]
)
def test_nothing_else_is_taken_for_a_jump(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert restarts(scenario, monkeypatch) == []


def test_a_jump_is_noticed_in_its_round(monkeypatch: pytest.MonkeyPatch) -> None:
    assert restarts("jump", monkeypatch) == [JUMP] * 4


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
