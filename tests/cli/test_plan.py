"""`lefi plan`: what it prints, draws and refuses."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lefi.cli import app

SMALL = ["plan", "--data", "cifar10", "--clients", "2", "--fleets", "1", "--rounds", "30", "--payment", "price"]


def test_a_target_and_a_sum_in_words_and_a_picture(tmp_path: Path) -> None:
    asked = [*SMALL, "--target", "0.3", "--total", "0.01", "--out", str(tmp_path)]
    text = CliRunner().invoke(app, asked, catch_exceptions=False).stdout
    assert max(len(line) for line in text.splitlines() if not line.startswith(("run", "fit", "figure"))) <= 80
    for word in ("price to 0.3", "price for 0.01 USD", "20 rounds", "out of reach", "costs more than 0.01 USD"):
        assert word in text
    assert "lefi train --data cifar10" in text
    assert (tmp_path / "plan.png").stat().st_size > 1000


def test_costs_that_rise_with_the_rounds_are_told_and_the_plan_is_among_them(tmp_path: Path) -> None:
    asked = ["plan", "--data", "digits", "--fleets", "1", "--seed", "1", "--payment", "price", "--target", "0.85"]
    text = CliRunner().invoke(app, [*asked, "--out", str(tmp_path)], catch_exceptions=False).stdout
    (plan,) = json.loads((tmp_path / "plan.json").read_text())["plans"]
    assert plan["others"]["20"] > plan["others"]["10"]
    assert "more rounds can cost more" in text
    lines = [line.split() for line in text.splitlines()]
    assert [str(plan["rounds"]), "rounds", f"{plan['cost']['middle']:.3g}"] in lines


def test_costs_that_only_fall_need_no_words(tmp_path: Path) -> None:
    asked = [*SMALL, "--payment", "curve", "--rounds", "12", "--target", "0.3", "--out", str(tmp_path)]
    assert "more rounds can cost more" not in CliRunner().invoke(app, asked, catch_exceptions=False).stdout


def test_json_names_the_command(tmp_path: Path) -> None:
    asked = [*SMALL, "--target", "0.3", "--json", "--out", str(tmp_path)]
    told = json.loads(CliRunner().invoke(app, asked, catch_exceptions=False).stdout)
    (plan,) = told["plans"]
    assert plan["accuracy"]["middle"] >= 0.3
    assert f"--rounds {plan['rounds']} " in plan["command"]
    assert "--mechanisms price" in plan["command"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "--target 0.5"),
        (["--target", "0.99"], "reach no more"),
        (["--total", "1e-9"], "one round"),
        (["--target", "nan"], "target"),
        (["--target", "0.3", "--data", "paper"], "learning"),
        (["--target", "0.3", "--payment", "auction"], "curve, price"),
    ],
)
def test_what_cannot_be_is_one_line(more: list[str], words: str, tmp_path: Path) -> None:
    found = CliRunner().invoke(app, [*SMALL, *more, "--out", str(tmp_path)])
    assert found.exit_code == 2
    assert words in found.stderr
    assert len([line for line in found.stderr.splitlines() if line.startswith("error")]) == 1
