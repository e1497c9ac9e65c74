"""Studies of jobs with a total: in TOML, swept, kept, drawn."""

from pathlib import Path

import polars as pl
import pytest

from lefi.errors import LefiError
from lefi.studies.plan.study import Study
from lefi.studies.report.overview import write_overview
from lefi.studies.run.load import load
from lefi.studies.run.runner import run_study

TOML = 'name = "job"\nscenario = "mixed"\nmechanisms = ["price", "uniform"]\nrounds = 12\nseeds = 2\nclients = 4\n'


def test_a_study_with_a_total_keeps_it_and_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(TOML + 'budget = 1.0\ntotal = 2.5\n[settings]\nlearning = "cifar10"\n')
    run_study(Study.read(tmp_path / "job.toml"), tmp_path)
    rounds, _ = load("job", tmp_path)
    spent = rounds.group_by("mechanism", "seed").agg(pl.col("paid").sum(), pl.len())
    assert (spent["paid"] <= 2.5).all()
    assert (spent["paid"] > 2.3).all()
    assert (spent["len"] < 12).any()
    rises = rounds.sort("round").group_by("mechanism", "seed").agg(pl.col("accuracy").diff().min())
    assert (rises["accuracy"] >= 0).all()  # along the curve
    assert rounds["total"].unique().to_list() == [2.5]
    assert rounds["share"].drop_nans().max() <= 1 + 1e-9  # type: ignore[operator]
    page = write_overview(tmp_path, "job").read_text()
    assert "2.5 USD in all" in page
    assert (tmp_path / "job" / "figures" / "spent.png").stat().st_size > 1000


def test_without_a_budget_rounds_share_the_total_and_it_can_be_swept() -> None:
    study = Study.build(
        {"name": "sums", "mechanisms": ["uniform"], "rounds": 10, "seeds": 1}
        | {"sweep": {"setting": "total", "values": [2.0, 8.0]}}
    )
    assert [(run.total, run.budget) for run in study.runs()] == [(2.0, 0.2), (8.0, 0.8)]
    with pytest.raises(LefiError, match="total"):
        Study.build({"name": "none", "mechanisms": ["uniform"], "total": -1.0})


def test_a_run_without_a_total_keeps_its_name() -> None:
    plain = {"name": "plain", "mechanisms": ["uniform"], "seeds": 1}
    one, other = (Study.build(plain | more).runs()[0] for more in ({}, {"total": 500.0}))
    assert (one.total, other.total, one.budget) == (None, 500.0, other.budget)
    assert one.key != other.key
