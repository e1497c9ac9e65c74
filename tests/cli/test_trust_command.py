"""`lefi trust`: what it teaches, writes and refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.trust import Reference
from tests.flower import watched


def lefi(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["trust", *map(str, arguments)])


def test_a_plan_in_words_and_as_json() -> None:
    told = lefi("plan", "--pay", "0.05", "--cost", "0.03", "--audit-cost", "0.1")
    assert told.exit_code == 0
    assert "half of the work is deterred by audits only" in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 100
    found = json.loads(lefi("plan", "--pay", "0.05", "--cost", "0.03", "--json").stdout)
    assert 0 < found["audits"] < 0.1
    assert [row["escrow"] for row in found["rows"]] == list(range(11))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["plan", "--pay", "0.05", "--cost", "0.05", "--rounds", "4"],
            "Pay more",
        ),  # the power table begins with round 5
        (["plan", "--pay", "0.05", "--cost", "0.06"], "at most the pay"),
        (["plan", "--pay", "0.05", "--cost", "0.01", "--power", "none.json"], "readable file"),
        (["calibrate", "out.json"], "one of both"),
        (["calibrate", "out.txt", "folder"], "a .json file"),
        (["calibrate", "out.json", "nowhere"], "kept its rounds in"),
        (["calibrate", "out.json", "--data", "digits", "--sizes", "5"], "least and most"),
        (["check", "none.json"], "readable file"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], said: str) -> None:
    found = lefi(*arguments)
    assert found.exit_code == 2
    assert said in found.stderr
    assert len([line for line in found.stderr.splitlines() if line.startswith("error")]) == 1


def test_past_jobs_are_a_reference_that_says_where_it_holds(tmp_path: Path) -> None:
    watched.run(tmp_path, rounds=4, trust=watched.watch(reference=None)).ledger.close()
    models, reference = tmp_path / "models", tmp_path / "reference.json"
    assert "200 clients" in lefi("calibrate", reference, models).stderr
    told = lefi("calibrate", reference, *[models] * 20)
    assert told.exit_code == 0, told.stderr
    assert "28 weights" in told.stdout
    assert lefi("check", reference, models).stdout.endswith("it holds for this job\n")
    written = json.loads(reference.read_text())
    written["about"] |= {"weights": 9, "skew": [0.0001, 0.0002]}
    reference.write_text(json.dumps(written))
    other = lefi("check", reference, models)
    assert other.exit_code == 1
    assert "the model has 28 weights, the reference is of one with 9" in other.stderr
    assert "skew" in other.stderr


@pytest.mark.slow
def test_a_job_with_cheats_is_trained_three_times() -> None:
    assert "idle" in lefi("train", "--kind", "lazy").stderr
    told = lefi("train", "--rounds", "5", "--share", "0.2", "--json")
    found = json.loads(told.stdout)
    assert found["caught"] == 1.0
    assert found["kept"] == 0.0
    assert "cheats, watched" in lefi("train", "--rounds", "3").stdout


@pytest.mark.slow
def test_honest_jobs_are_trained_for_a_reference(tmp_path: Path) -> None:
    small = ["--model", "lefi.profiling.model:small_mlp", "--epochs", "1", "--jobs", "10", "--rounds", "3"]
    told = lefi("calibrate", tmp_path / "r.json", "--data", "digits", *small, "--device", "cpu")
    assert told.exit_code == 0, told.stderr
    about = Reference.read(tmp_path / "r.json").about
    assert about["honest clients"] == 200
    assert about["weights"] == 2410
    assert about["data"] == "digits"
