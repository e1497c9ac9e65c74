"""When all prices change at once: it is noticed in that round, and nothing else is taken for it."""

import numpy as np
import pytest

import lefi
from benchmarks import others
from benchmarks.waterfill import shares
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


def noticed(market: lefi.Market, seed: int, rounds: int = 25) -> float:
    """The round of the last jump that was noticed, or 0."""
    mechanism = lefi.make("waterfill", market.terms, seed=seed)
    assert isinstance(mechanism, Waterfill)
    for _ in lefi.play(mechanism, market, rounds, seed=seed):
        pass
    assert mechanism.fleet is not None
    return mechanism.fleet.shared.jumped


@pytest.mark.parametrize(
    "scenario", ["paper", "mixed", "flaky", "noisy", "reluctant", "stubborn", "drifting", "churning"]
)
def test_nothing_else_is_taken_for_a_jump(scenario: str) -> None:
    """But drift, now and then: a jump that was none makes older answers count less, as they should there."""
    alarms = [noticed(lefi.scenario(scenario, clients=20, seed=seed), seed) > 0 for seed in range(720, 724)]
    assert sum(alarms) <= (scenario == "drifting")


@pytest.mark.parametrize(("shape", "kind"), [("two steps", "dead"), ("three steps", "plain"), ("cube", "plain")])
def test_curves_of_other_shapes_are_not_taken_for_one(shape: str, kind: str) -> None:
    market = lefi.Market(lefi.Terms(60 * 0.1, lefi.accuracy("paper")), others.fleet(shape, 60, 730, kind))
    assert noticed(market, 730, 20) == 0


def test_a_jump_is_noticed_in_its_round() -> None:
    """But where most of its clients deliver their cap before and after: that tells little of prices."""
    found = [noticed(lefi.scenario("jump", clients=20, seed=seed), seed) for seed in range(740, 746)]
    assert found.count(JUMP) >= 5
