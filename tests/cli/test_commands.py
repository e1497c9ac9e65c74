"""Bad input is one line and exit code 2; help teaches; the version is quick."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lefi
import lefi.studies.plan.paper
from lefi.cli import app
from lefi.studies.plan.paper import PAPER, paper_runs
from lefi.studies.plan.study import Study
from lefi.studies.run.runner import run_study
from tests.blank_figures import leave_blank


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("simulate --mechanism lefy", "unknown mechanism 'lefy': did you mean 'lefi'? known: auction, bara"),
        ("simulate --mechanism lefi,uniform", "unknown mechanism"),
        ("simulate --mechanism nowhere.py:Mine", "a Python file that exists"),
        ("simulate --scenario papr", "unknown scenario 'papr': did you mean 'paper'? known: capped"),
        ("simulate --mechanism lefi --set stp=1", "unknown setting 'stp': did you mean 'step'?"),
        ("simulate --mechanism lefi --set lefi.stp=1", "unknown setting of 'lefi' 'stp': did you mean 'step'?"),
        ("simulate --set bara.initial=1", "unknown mechanism in --set 'bara'"),
        ("simulate --set step", "--set is 'step'"),
        ("simulate --mechanism lefi --set step=-1", "lefi.step is -1"),
        ("simulate --set speed=fast", "speed is 'fast'"),
        ("simulate --budget nan", "budget is nan"),
        ("simulate --budget inf", "budget is inf"),
        ("simulate --budget -1", "budget is -1.0"),
        ("simulate --budget 0", "budget is 0.0"),
        ("simulate --deadline nan", "deadline is nan"),
        ("simulate --clients 0", "clients is 0"),
        ("simulate --clients -3", "clients is -3"),
        ("simulate --rounds 0", "rounds is 0"),
        ("simulate --seed -1", "seed is -1"),
        ("simulate --rounds many", "'many' is not a valid integer"),
        ("simulate --accuracy papr", "unknown accuracy model 'papr': did you mean 'paper'?"),
        ("simulate --accuracy nowhere.json", "accuracy file is 'nowhere.json'"),
        ("simulate --out /proc/nowhere", "cannot write to /proc/nowhere"),
        ("compare --seeds 0", "seeds is 0"),
        ("compare --jobs 0", "jobs is 0"),
        ("compare --mechanisms lefi,,uniform", "mechanisms is 'lefi,,uniform'"),
        ("compare --mechanisms lefi,lefi", "all different"),
        ("compare --study nowhere.toml", "study is 'nowhere.toml'"),
        ("compare --out /proc/nowhere", "cannot write to /proc/nowhere"),
        ("paper --seeds 0", "seeds is 0"),
        ("paper --rounds 0", "rounds is 0"),
        ("paper --jobs 0", "jobs is 0"),
        ("paper --out /proc/nowhere", "cannot write to /proc/nowhere"),
        ("paper --quick --full", "quick is True"),
        ("simulate --cost papr", "unknown cost model 'papr': did you mean 'paper'?"),
        ("figures --results nowhere", "a finished study"),
        ("paperr", "paperr"),
        ("simulate --rouns 3", "--rouns"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: str, said: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        result = CliRunner().invoke(app, arguments.split())
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""
    assert list(tmp_path.rglob("*.parquet")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "x"\nmechanisms = ["lefi"]\nronds = 3', "unknown key 'ronds': did you mean 'rounds'?"),
        ('name = "x\n', "is not TOML"),
        (
            'name = "x"\nmechanisms = ["lefi"]\n[sweep]\nsetting = "bugdet"\nvalues = [1]',
            "unknown setting to sweep 'bugdet': did you mean 'budget'?",
        ),
    ],
)
def test_a_wrong_toml_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    toml = tmp_path / "wrong.toml"
    toml.write_text(text)
    result = CliRunner().invoke(app, ["compare", "--study", str(toml), "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "wrong.toml" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["paper", "simulate", "compare", "figures", "list"])
def test_help_teaches_with_an_example_that_fits(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(app, [command, "--help"]).stdout
    assert "Example" in text
    assert f"lefi {command}" in text
    assert max(map(len, text.splitlines())) <= 80


def test_mechanisms_are_listed_with_their_settings() -> None:
    text = CliRunner().invoke(app, ["list"]).stdout
    assert all(name in text for name in lefi.registered())
    assert "step=1.0" in text
    assert "mixed, and a fifth of the answers does not come" in text
    told = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    lefi_row = next(row for row in told["mechanism"] if row["name"] == "lefi")
    assert lefi_row["settings"]["probe"] == 0.05
    assert lefi_row["from"] == "lefi"
    assert "learns from own" in lefi_row["says"]
    assert set(told) == {"mechanism", "wrapper", "scenario", "behaviour", "policy", "payment", "accuracy", "cost"}
    assert CliRunner().invoke(app, ["list", "mechanisms"]).exit_code == 2


def test_version_imports_nothing_heavy() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout == f"lefi {lefi.__version__}\n"
    heavy = ("sklearn", "matplotlib", "polars", "scipy.stats")
    code = f"import sys, lefi.cli; print(*(m for m in {heavy} if m in sys.modules))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == ""


def test_a_bug_is_no_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("bug")

    monkeypatch.setattr("lefi.studies.run.record.walk", broken)
    result = CliRunner().invoke(app, ["simulate"])
    assert isinstance(result.exception, RuntimeError)


def test_ctrl_c_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lefi.studies.run.record.walk", interrupted)
    result = CliRunner().invoke(app, ["simulate"])
    assert result.exit_code == 130
    assert "error: stopped" in result.stderr


@pytest.mark.slow
def test_paper_writes_the_report_and_a_second_time_only_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real command on studies cut down to a few rounds and seeds."""
    full = lefi.studies.plan.paper.paper_studies
    few = {"mechanisms": ["lefi", "random", "uniform"], "control": "random", "sweep": None, "clients": 4, "budget": 2.0}

    def small() -> list[Study]:
        return [_cut(study) if study.sweep is None else _swept(study) for study in full()]

    def _cut(study: Study) -> Study:
        own = {"mechanisms": study.mechanisms, "control": "lefi"} if study.name == "ablation" else {}
        return Study.build(study.model_dump() | few | own)

    def _swept(study: Study) -> Study:
        first = study.sweeps[0]
        sweep = {"setting": first.setting, "values": first.values[:2]}
        return Study.build(study.model_dump() | few | {"sweep": sweep})

    monkeypatch.setattr("lefi.studies.plan.paper.paper_studies", small)
    leave_blank(monkeypatch)
    arguments = ["paper", "--out", str(tmp_path), "--seeds", "2", "--rounds", "6", "--jobs", "1"]
    first = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert first.exit_code == 0
    assert f"report: {tmp_path / 'report.html'}" in first.stdout
    assert "verdict" in first.stdout
    assert max(map(len, first.stdout.splitlines()[:-1])) <= 80
    monkeypatch.setattr("lefi.studies.run.work.record", lambda run: pytest.fail(f"{run} was played again"))
    (tmp_path / "report.html").unlink()
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    assert "what pretending adds" in (tmp_path / "report.html").read_text()


def test_a_quick_look_has_the_papers_studies_with_few_points() -> None:
    quick, whole = paper_runs(10, 100, quick=True), {study.name: study for study in paper_runs(10, 100)}
    assert [study.name for study in quick] == ["convergence", "mixed", "clients", "budget", "deadline"]
    assert {study.seeds for study in quick} == {2}
    for study in quick:
        assert study.mechanisms == whole[study.name].mechanisms
        for few, many in zip(study.sweeps, whole[study.name].sweeps, strict=True):
            assert few.setting == many.setting
            assert set(few.values) < set(many.values)
    assert sum(len(study.runs()) for study in quick) <= 120  # half a minute of one core


def test_measured_models_are_taken_by_their_names() -> None:
    told = ["simulate", "--mechanism", "uniform", "--rounds", "2", "--clients", "2", "--json"]
    plain, priced = (
        json.loads(CliRunner().invoke(app, [*told, *more], catch_exceptions=False).stdout)
        for more in ([], ["--cost", "cifar10"])
    )
    assert plain != priced


def test_figures_draws_from_results_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PAPER:
        run_study(Study.build({"name": name, "mechanisms": ["uniform"], "rounds": 1, "seeds": 1}), tmp_path)
    asked: list[tuple[Path, Path]] = []

    def write_report(results: Path, out: Path, **_: object) -> Path:
        asked.append((results, out))
        (out / "claims.json").write_text("[]")
        return out / "report.html"

    monkeypatch.setattr("lefi.studies.report.report.write_report", write_report)
    result = CliRunner().invoke(app, ["figures", "--results", str(tmp_path), "--out", str(tmp_path / "new")])
    assert result.exit_code == 0
    assert asked == [(tmp_path, tmp_path / "new")]


def test_absurd_numbers_of_clients_are_one_line() -> None:
    result = CliRunner().invoke(app, ["simulate", "--clients", "1000000000000"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: clients is 1000000000000: it must be a whole number >= 1 and <= 100000000")
