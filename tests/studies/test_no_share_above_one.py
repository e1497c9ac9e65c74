"""Nobody is ranked above the optimum of the way of paying: every mechanism in every scenario."""

import numpy as np
import pytest

import lefi
from lefi.studies.plan.study import Study
from lefi.studies.run.record import record
from lefi.world.scenarios import OURS
from tests.lengths import amount, covering

BUDGETS = (5.0, 0.1)  # USD for 5 clients: enough for the paper's curve, enough for prices


@pytest.mark.parametrize(("scenario", "budget"), covering(sorted(OURS), BUDGETS))
def test_no_share_lies_above_one(scenario: str, budget: float) -> None:
    """All mechanisms in one test, as they meet the same fleets: the optimum of each is worked out once."""
    rounds = amount(5, 2) if scenario == "sticky" else 5  # its optimum is another one in every run and round
    values = {"name": "x", "scenario": scenario, "rounds": rounds, "seeds": 1, "clients": 5, "budget": budget}
    for run in Study.build(values | {"mechanisms": sorted(lefi.registered())}).runs():
        rows = record(run).rounds
        assert not (rows["share"].to_numpy() > 1 + 1e-9).any(), run.mechanism
        optimum = rows["oracle" if rows["first_best"].is_nan().all() else "first_best"].to_numpy()
        assert not (rows["fair"].to_numpy() > optimum + 1e-9).any(), run.mechanism


OTHERS = ("price", "auction", "contract", "flat", "pool")


@pytest.mark.parametrize(("name", "scenario"), covering(OTHERS, ("paper", "mixed", "reluctant", "flaky", "churning")))
def test_other_ways_of_paying_have_a_share_of_their_own_optimum(name: str, scenario: str) -> None:
    values = {"name": "x", "scenario": scenario, "mechanisms": [name], "rounds": 10, "seeds": 1, "clients": 6}
    (run,) = Study.build(values | {"budget": 0.06}).runs()
    rows = record(run).rounds
    assert np.isfinite(rows["share"].to_numpy()).all()
    assert rows["share"][-1] > -0.5


def test_where_clients_work_at_a_loss_there_is_no_share() -> None:
    """In a contest losers have worked for nothing: what paying just the cost reaches is no bound there."""
    values = {"name": "x", "scenario": "mixed", "mechanisms": ["contest"], "rounds": 2, "seeds": 1, "clients": 6}
    (run,) = Study.build(values | {"budget": 0.06}).runs()
    assert np.isnan(record(run).rounds["share"].to_numpy()).all()
