"""The share of the work and the time left follow what runs took, not how many they are."""

import pytest

import lefi
from lefi.studies.plan.one_run import Run
from lefi.studies.plan.study import Study
from lefi.studies.run.effort import COST, Effort, work

SECONDS = {"uniform": 0.1, "bara": 2.0, "lefi": 0.5}  # of a run, on a machine unlike the one of the table


def runs(seeds: int = 40) -> list[Run]:
    study = {"name": "s", "mechanisms": list(SECONDS), "rounds": 10, "seeds": seeds}
    return sorted(Study.build(study).runs(), key=lambda run: -work(run))


def test_the_time_left_is_steady_from_the_first_of_each_mechanism_on() -> None:
    todo = [run for seed in range(40) for run in runs()[seed::40]]  # mixed
    effort, total = Effort(todo), sum(SECONDS[run.mechanism] for run in todo)
    assert effort.left() is None
    spent, shares = 0.0, [effort.share()]
    for number, run in enumerate(todo):
        effort.add(run, SECONDS[run.mechanism])
        spent += SECONDS[run.mechanism]
        shares.append(effort.share())
        left = effort.left()
        assert left is not None
        if number > len(todo) / 10:
            assert left == pytest.approx(total - spent, rel=0.1, abs=1e-6)
            assert shares[-1] == pytest.approx(spent / total, abs=0.05)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)


def test_runs_that_were_done_before_count_without_a_time() -> None:
    todo = runs(2)
    effort = Effort(todo)
    for run in todo[:3]:
        effort.add(run)
    assert effort.left() is None
    assert effort.runs == 3
    assert 0 < effort.share() < 1
    for run in todo[3:]:
        effort.add(run)
    assert effort.share() == 1


def test_nothing_to_do_is_done() -> None:
    assert Effort([]).share() == 1


def test_the_table_knows_every_mechanism() -> None:
    assert set(COST) == {name for name, factory in lefi.registered().items() if factory.__module__.startswith("lefi.")}
