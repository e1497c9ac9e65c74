"""The sweeps that ship as examples, run small: a setting of a mechanism, and two settings at once, drawn."""

from pathlib import Path

import polars as pl
import pytest

from lefi.studies.plan.paper import paper_folder
from lefi.studies.plan.study import Study
from lefi.studies.report.overview import write_overview
from lefi.studies.run.load import load
from lefi.studies.run.runner import run_study


@pytest.mark.parametrize(("name", "figure"), [("step", "sweep"), ("step_budget", "map")])
def test_a_sweep_is_run_and_drawn(tmp_path: Path, name: str, figure: str) -> None:
    study = Study.read(paper_folder() / f"{name}.toml").changed(rounds=6, seeds=1, clients=4)
    run_study(study, tmp_path)
    rounds, _ = load(name, tmp_path)
    last = rounds.filter(pl.col("mechanism") == "lefi", pl.col("round") == 6, pl.col("seed") == 0)
    assert last["lefi.step"].n_unique() == len(study.sweeps[-1].values)
    assert last["fair"].n_unique() > 2  # the step makes a difference
    page = write_overview(tmp_path, name).read_text()
    assert "lefi.step" in page
    for kind in ("png", "svg", "pdf"):
        assert (tmp_path / name / "figures" / f"{figure}.{kind}").stat().st_size > 1000
    table = pl.read_csv(tmp_path / name / "tables" / "summary.csv")
    points = len(study.points())
    assert table.height == points * len(study.variants)
