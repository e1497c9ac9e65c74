"""`lefi game`: a table, a figure, and nothing is played twice."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.game import tasks

SMALL = ["game", "--mechanisms", "flat,auction", "--clients", "3", "--rounds", "3", "--players", "1", "--grid"]


def test_games_are_told_kept_and_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*SMALL, "--what", "reply,group,sybils,reentry,iid", "--out", str(tmp_path), "--json"]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert {(game["mechanism"], game["kind"]) for game in told["games"]} == {
        (name, kind) for name in ("flat", "auction") for kind in ("reply", "group", "sybils", "reentry", "iid")
    }
    for game in told["games"]:
        if game["kind"] == "reply":
            assert game["kept"] <= game["honest"] * (1 + 1e-9) + 1e-15
    assert Path(told["figure"]).is_file()
    monkeypatch.setattr(tasks, "measure", lambda *_: pytest.fail("played again"))
    again = CliRunner().invoke(app, command)
    assert again.stdout == first.stdout


def test_the_table_on_a_terminal(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, [*SMALL, "--what", "equilibrium", "--out", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert "flat equilibrium: best honest" in told.stdout
    assert "Can it be gamed?" in told.stdout


def test_a_wrong_word_is_one_line(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, [*SMALL, "--what", "cheating", "--out", str(tmp_path)])
    assert told.exit_code == 2
    assert "unknown what 'cheating'" in told.stderr
