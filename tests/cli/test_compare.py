"""`lefi compare`: medians with intervals, paired differences, from options or from a TOML."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.studies.run.load import load

MINE = Path(__file__).parents[1] / "studies" / "mine.py"
SMALL = ["--rounds", "12", "--seeds", "3", "--clients", "4", "--jobs", "1"]


def test_json_agrees_with_the_tables(tmp_path: Path) -> None:
    arguments = ["compare", "--mechanisms", "uniform,random", *SMALL, "--out", str(tmp_path), "--json"]
    told = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    rounds = load("compare", tmp_path)[0]
    first, second = told["summaries"]
    assert (first["mechanism"], second["mechanism"]) == ("uniform", "random")
    assert list(first["share"]) == ["5", "10", "12"]
    last = {
        name: rounds.filter(mechanism=name, round=12).sort("seed")["share"].to_numpy() for name in ("uniform", "random")
    }
    assert first["share"]["12"]["middle"] == np.median(last["uniform"])
    assert first["lead"] is None
    assert second["lead"]["middle"] == pytest.approx(np.median(last["random"] - last["uniform"]))
    assert second["lead"]["low"] <= second["lead"]["middle"] <= second["lead"]["high"]
    assert second["better"]["middle"] == pytest.approx(np.mean(last["random"] > last["uniform"]))
    assert second["seeds"] == 3


@pytest.mark.parametrize("sweep", [False, True])
def test_tables_fit_80_columns_uncut(tmp_path: Path, sweep: bool) -> None:
    arguments = ["compare", "--mechanisms", "lefi,uniform,random", *SMALL, "--out", str(tmp_path)]
    if sweep:
        toml = tmp_path / "s.toml"
        toml.write_text('name = "s"\nmechanisms = ["lefi"]\n[sweep]\nsetting = "deadline"\nvalues = [15.0, 60.0]\n')
        arguments += ["--study", str(toml)]
    text = CliRunner().invoke(app, arguments, catch_exceptions=False).stdout
    assert max(len(line) for line in text.splitlines() if not line.startswith("page: ")) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "round 5" in text
    assert "share lead" in text
    assert ("60.0" in text) == sweep
    assert "the range of all seeds" in " ".join(text.split()), "three seeds allow no interval of 95%"


def test_long_names_are_folded_and_no_number_is_lost(tmp_path: Path) -> None:
    """Sweeps have one more label, and names may be longer than a terminal is wide."""
    toml, long = tmp_path / "s.toml", "a_name_that_is_as_long_as_names_are_where_everything_is_said_in_them"
    toml.write_text('name = "s"\nmechanisms = ["lefi"]\n[sweep]\nsetting = "deadline"\nvalues = [15.0, 60.0]\n')
    asked = ["compare", "--study", str(toml), "--mechanisms", f"uniform, {long} = random", "--out", str(tmp_path)]
    runner = CliRunner()
    text = runner.invoke(app, [*asked, *SMALL, "--no-draw"], catch_exceptions=False).stdout
    told = json.loads(runner.invoke(app, [*asked, *SMALL, "--no-draw", "--json"], catch_exceptions=False).stdout)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    for summary in told["summaries"]:
        for share in summary["share"].values():
            assert f"{share['low']:.3f}..{share['high']:.3f}" in text
        assert f"{summary['accuracy']['low']:.4f}..{summary['accuracy']['high']:.4f}" in text
    assert f" {long[:9]}" in text.split("At the end")[0]
    assert long not in text.split("At the end")[0]


def test_options_overrule_the_study(tmp_path: Path) -> None:
    toml = tmp_path / "s.toml"
    toml.write_text(
        'name = "s"\nmechanisms = ["lefi", "uniform"]\nrounds = 50\nseeds = 9\n'
        "[mechanism.lefi]\nstep = 2.0\nprobe = 0.1\n"
    )
    arguments = ["compare", "--study", str(toml), *SMALL, "--set", "lefi.step=3", "--out", str(tmp_path), "--json"]
    study = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)["study"]
    assert (study["rounds"], study["seeds"], study["clients"]) == (12, 3, 4)
    assert study["mechanism"] == {"lefi": {"step": 3, "probe": 0.1}}


def test_a_mechanism_of_the_users_joins(tmp_path: Path) -> None:
    arguments = ["compare", "--mechanisms", f"uniform,{MINE}:Fixed", *SMALL, "--out", str(tmp_path), "--json"]
    told = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert [summary["mechanism"] for summary in told["summaries"]] == ["uniform", "fixed"]
