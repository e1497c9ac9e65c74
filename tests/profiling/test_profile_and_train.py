"""`lefi profile` and `lefi train` as a user calls them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lefi
from lefi.cli import app
from lefi.profiling import learned
from tests.blank_figures import COMMANDS, leave_blank


def call(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        app([str(arg) for arg in args])
    said = capsys.readouterr()
    return int(end.value.code or 0), said.out, said.err


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("digits")
    small = ["--sizes", "0.03,0.06,0.1", "--iid", "0.1,0.5,1", "--seeds", "1", "--clients", "2", "--rounds", "2"]
    with pytest.raises(SystemExit) as end:
        app(["profile", *small, "--device", "cpu", "--out", str(out)])
    assert end.value.code == 0
    return out


def test_profile_writes_figures_tables_and_a_preset(profiled: Path) -> None:
    names = {"accuracy.parquet", "cost.parquet", "manifest.json", "preset.json", "groups"}
    names |= {f"{figure}.{kind}" for figure in ("accuracy", "cost", "labels") for kind in ("pdf", "png", "svg")}
    assert {path.name for path in profiled.iterdir()} == names


def test_the_preset_learns_how_accuracy_rises_by_round(
    profiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rounds do not settle it; where rounds do (a fit that stands in), preset, picture and words have it."""
    assert "learning" not in json.loads((profiled / "preset.json").read_text())
    shutil.copytree(profiled, tmp_path / "again")
    fitted = learned.Judged(lefi.learning("digits"), 0.01, 0.02, 0.03)
    monkeypatch.setattr(learned, "judged", lambda *_: (fitted,))
    leave_blank(monkeypatch, but=["learning"], where=COMMANDS)
    small = ["--sizes", "0.03,0.06,0.1", "--iid", "0.1,0.5,1", "--seeds", "1", "--clients", "2", "--rounds", "2"]
    code, out, err = call(capsys, "profile", *small, "--device", "cpu", "--out", tmp_path / "again")
    assert code == 0, err
    assert "RMSE 0.0200 on cells left out, 0.0300 on the last rounds left out" in out
    assert lefi.learning(tmp_path / "again" / "preset.json") == lefi.learning("digits")
    told = json.loads((tmp_path / "again" / "preset.json").read_text())["fit"]["learning"]
    assert told == {"hill": {"rmse": 0.01, "rmse_left_out": 0.02, "rmse_last_rounds": 0.03}}
    assert (tmp_path / "again" / "learning.png").stat().st_size > 1000


def test_simulate_runs_on_the_preset(profiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    preset = profiled / "preset.json"
    code, out, err = call(
        capsys, "simulate", "--accuracy", preset, "--rounds", 3, "--clients", 3, "--json", "--set", "size_high=0.1"
    )
    assert code == 0, err
    assert np.isfinite(json.loads(out)["accuracy"])


def test_train_compares_mechanisms(profiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    preset = profiled / "preset.json"
    options = ["--accuracy", preset, "--rounds", 2, "--clients", 3, "--seeds", 1, "--device", "cpu", "--out", tmp_path]
    code, out, err = call(capsys, "train", "--mechanisms", "uniform,oracle", *options, "--json")
    assert code == 0, err
    assert [row["mechanism"] for row in json.loads(out)["mechanisms"]] == ["uniform", "oracle"]
    assert len(pl.read_parquet(tmp_path / "loop.parquet")) == 4
    assert (tmp_path / "loop.png").is_file()


def test_an_estimate_comes_first_and_other_results_are_not_overwritten(
    profiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_blank(monkeypatch, where=COMMANDS)
    options = ["train", "--accuracy", profiled / "preset.json", "--mechanisms", "uniform,price", "--clients", 2]
    options += ["--rounds", 2, "--seeds", 1, "--device", "cpu", "--out", tmp_path]
    code, _, err = call(capsys, *options, "--budget", "0.1,1")
    assert code == 0, err
    assert err.startswith("at most ")
    assert "in a second here: about " in err
    first = pl.read_parquet(tmp_path / "loop.parquet")
    assert first["budget"].unique().sort().to_list() == [0.1, 1.0]
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "groups").iterdir()}
    assert len(kept) == 4
    assert call(capsys, *options, "--budget", "0.1,1")[0] == 0  # the same again: nothing is trained
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "groups").iterdir()} == kept
    code, _, err = call(capsys, *options, "--budget", "0.1")
    assert code == 2
    assert "it holds a training with other budgets" in err
    assert pl.read_parquet(tmp_path / "loop.parquet").equals(first)
    assert call(capsys, *options, "--budget", "0.1", "--overwrite")[0] == 0
    assert pl.read_parquet(tmp_path / "loop.parquet")["budget"].unique().to_list() == [0.1]


def test_another_measurement_is_not_overwritten(profiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (profiled / "preset.json").read_bytes()
    small = ["--sizes", "0.03,0.06", "--iid", "0.5,1", "--seeds", "1", "--clients", "2", "--rounds", "1"]
    code, _, err = call(capsys, "profile", *small, "--device", "cpu", "--out", profiled)
    assert code == 2
    assert "it holds a measurement of digits with other iid, rounds, sizes" in err
    assert (profiled / "preset.json").read_bytes() == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("profile", "--data", "imagenet"), "digits, cifar10, gtsrb, or a path"),
        (("profile", "--data", "cifar10", "--folder", "/nowhere"), "data_batch_1.bin is missing"),
        (("profile", "--sizes", "1,x"), "numbers with commas"),
        (("profile", "--iid", "2"), "iid is 2.0"),
        (("profile", "--device", "tpu"), "auto, cpu or cuda"),
        (("profile", "--model", "nowhere:net"), "package.module:factory"),
        (("train", "--mechanisms", "nobody"), "unknown mechanism"),
        (("train", "--accuracy", "nowhere.json"), "nowhere.json"),
    ],
)
def test_bad_input_is_one_line(
    args: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capsys, *args, "--out", tmp_path / "out")
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_preset_for_own_data_must_be_measured_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.npz"
    np.savez(path, images=np.zeros((40, 8, 8)), labels=np.arange(40) % 4)
    code, _, err = call(capsys, "train", "--data", path, "--out", tmp_path / "out")
    assert code == 2
    assert "run `lefi profile --data" in err


def test_lefi_itself_never_imports_torch() -> None:
    code = "import sys, lefi, lefi.cli, lefi.studies.report.report; print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_without_torch_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None; from lefi.cli import app; app(['profile'])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert said.stderr.strip() == "error: lefi.profiling needs PyTorch: pip install 'lefi-fl[profile]'"


def test_train_tells_who_reaches_a_target_for_the_least_money(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Really trained: jobs end when the target is reached, no job passes its total, and the same command resumes."""
    mechanisms = "pace(price),schedule(price, rounds=3),bara_published"
    options = ["--total", 0.3, "--target", 0.3, "--clients", 3, "--seeds", 1, "--rounds", 20, "--device", "cpu"]
    command = ["train", *options, "--mechanisms", mechanisms, "--out", tmp_path, "--json"]
    code, out, _ = call(capsys, *command)
    assert code == 0
    told = {row["mechanism"]: row for row in json.loads(out)["mechanisms"]}
    table = pl.read_parquet(tmp_path / "loop.parquet")
    assert table.group_by("mechanism").agg(pl.col("paid").sum())["paid"].max() <= 0.3  # type: ignore[operator]
    for name, row in told.items():
        rounds = table.filter(mechanism=name)
        assert row["reached"] == int((rounds["accuracy"] >= 0.3).any())
        assert not (rounds["accuracy"][:-1] >= 0.3).any()
    assert told["pace(price)"]["reached"] == told["schedule(price, rounds=3)"]["reached"] == 1
    assert told["pace(price)"]["usd"][0] < told["schedule(price, rounds=3)"]["usd"][0]
    assert (tmp_path / "to_target.png").is_file()
    assert call(capsys, *command)[1] == out


def test_a_target_needs_a_total(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = call(capsys, "train", "--target", 0.5, "--out", tmp_path)
    assert code == 2
    assert "total" in said
