from collections.abc import Callable
from pathlib import Path

import pytest

from lefi.errors import LefiError
from lefi.studies.judge.control import control_of
from lefi.studies.plan.study import Study
from lefi.studies.run.results import Finished

STUDIES = sorted((Path(__file__).parents[2] / "studies").glob("*.toml"))
MakeStudy = Callable[..., Finished]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_names_a_control(path: Path) -> None:
    study = Study.read(path)
    assert study.control in study.variants


def test_a_control_that_is_not_in_the_study_is_refused() -> None:
    with pytest.raises(LefiError, match="control 'flat'"):
        Study.build({"name": "own", "mechanisms": ["lefi"], "control": "flat"})


def test_other_mechanisms_leave_the_control_behind() -> None:
    study = Study.read(STUDIES[0])
    assert study.changed(seeds=2).control == study.control
    assert study.changed(mechanisms=["lefi"]).control is None
    assert study.changed(mechanisms=["lefi", "uniform"], control="uniform").control == "uniform"


@pytest.mark.parametrize(("height", "failed"), [(0.27, 1), (0.28, 0), (0.29, 0)])
def test_a_control_fails_where_it_stays_behind(make_study: MakeStudy, height: float, failed: int) -> None:
    found = control_of(make_study("convergence", {"lefi": 0.28, "uniform": height}).final(), "uniform")
    assert found.failed == failed
    assert ("tells nothing" in found.told()) == (not failed)


def test_luck_of_single_seeds_is_no_failure(make_study: MakeStudy) -> None:
    study = make_study("convergence", {"lefi": lambda at: 0.28 + 0.01 * (-1) ** at.seed, "uniform": 0.28})
    assert control_of(study.final(), "uniform").failed == 0


def test_each_place_of_a_sweep_is_judged(make_study: MakeStudy) -> None:
    reach = {"lefi": 0.28, "uniform": lambda at: 0.27 if at.value > 2 else 0.28}
    found = control_of(make_study("budget", reach, sweep="budget", values=[1.0, 5.0, 25.0]).final(), "uniform")
    assert (found.failed, len(found.behind)) == (2, 3)
