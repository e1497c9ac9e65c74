"""What a share is worth in money: equal weights that reach the same accuracy, and what they spend."""

from pathlib import Path

import numpy as np
import pytest

import lefi
from lefi.optimum import equal_spend
from lefi.studies import Study, results, run_study
from lefi.studies.judge.dearness import dearness, points_at_stake
from lefi.studies.run.results import Finished


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder: Path = tmp_path_factory.mktemp("dear")
    small = {"name": "small", "mechanisms": ["waterfill", "uniform"], "scenario": "mixed", "rounds": 30, "seeds": 3}
    run_study(Study.build(small), folder)
    return results(folder, "small")


def test_equal_weights_spend_what_they_spend() -> None:
    market = lefi.scenario("mixed", seed=4)
    roster = market.fleet.roster
    offer = lefi.CurveOffer(np.full(10, 0.37), roster.rate, np.full(10, 10.0))
    settled = market.settle(1, offer, None)
    assert equal_spend(market, settled.accuracy) == pytest.approx(settled.paid, rel=1e-9)


def test_the_optimum_is_dearer_with_equal_weights() -> None:
    market = lefi.scenario("mixed", seed=4)
    best = lefi.oracle(market)
    assert equal_spend(market, best.accuracy) > 1.1 * best.paid


def test_what_nobody_can_deliver_costs_more_than_there_is() -> None:
    assert equal_spend(lefi.scenario("mixed"), 0.99) == np.inf


def test_a_study_tells_it_per_fleet(study: Finished) -> None:
    """The control is equal weights themselves: their dearness is 1."""
    assert dearness(study, "uniform") == pytest.approx(1.0, abs=2e-3)
    assert (dearness(study, "waterfill") > 1.05).all()


def test_points_at_stake(study: Finished) -> None:
    final = study.final().sort("seed")
    assert points_at_stake(study).shape == (3,)
    assert points_at_stake(study).min() > 0
    assert points_at_stake(study)[0] == pytest.approx(100 * (final["oracle"][0] - final["arbitrary"][0]))
