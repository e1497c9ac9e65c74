"""`lefi simulate`: Algorithm 1's output on a terminal, as JSON, as a ledger."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lefi
from lefi import receipts
from lefi.cli import app

RUN = ["simulate", "--clients", "4", "--rounds", "30", "--seed", "2"]


def test_json_is_what_the_library_gives() -> None:
    told = json.loads(CliRunner().invoke(app, [*RUN, "--json"], catch_exceptions=False).stdout)
    market = lefi.scenario("paper", clients=4, seed=2)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms, seed=2), market, 30, seed=2))
    last = receipts[-1]
    assert told["round"] == 30
    np.testing.assert_array_equal(told["final"]["weight"], last.offer.weight)
    np.testing.assert_array_equal(told["final"]["size"], last.sizes)
    assert told["accuracy"] == last.accuracy
    assert told["paid"] == last.paid
    assert told["overspend"] == 0  # by default a mechanism that keeps its budget
    assert told["oracle"] == lefi.oracle(market).accuracy


def test_the_table_fits_80_columns_and_ends_with_the_facts() -> None:
    text = CliRunner().invoke(app, RUN, catch_exceptions=False).stdout
    assert max(map(len, text.splitlines())) <= 80
    for word in ("weight (USD)", "size (thousand)", "settled", "accuracy", "share", "paid", "overspend"):
        assert word in text


def test_settled_says_the_round() -> None:
    text = CliRunner().invoke(app, ["simulate", "--mechanism", "uniform", "--rounds", "60"]).stdout
    told = json.loads(
        CliRunner().invoke(app, ["simulate", "--mechanism", "uniform", "--rounds", "60", "--json"]).stdout
    )
    assert told["weights_settled"] is not None
    assert f"weights from round {told['weights_settled']} on" in text


def test_of_many_clients_the_first_and_the_last_are_shown() -> None:
    text = CliRunner().invoke(app, ["simulate", "--mechanism", "uniform", "--clients", "500", "--rounds", "2"]).stdout
    assert "..." in text
    assert len(text.splitlines()) < 40
    assert " 499 " in text


def test_a_searcher_ends_with_its_best_round_within_the_budget() -> None:
    told = json.loads(CliRunner().invoke(app, [*RUN, "--mechanism", "random", "--json"]).stdout)
    market = lefi.scenario("paper", clients=4, seed=2)
    receipts = list(lefi.play(lefi.make("random", market.terms, seed=2), market, 30, seed=2))
    within = [receipt for receipt in receipts if receipt.paid <= 2.0]
    assert told["round"] == max(within, key=lambda receipt: receipt.accuracy).round


def test_out_writes_a_ledger_that_restores_the_mechanism(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [*RUN, "--out", str(tmp_path / "ledger")], catch_exceptions=False)
    assert result.exit_code == 0
    told = list(receipts.read(tmp_path / "ledger"))
    assert [receipt.round for receipt in told] == list(range(1, 31))


def test_settings_reach_scenario_and_mechanism() -> None:
    told = json.loads(
        CliRunner()
        .invoke(
            app,
            [
                *RUN,
                "--mechanism",
                "lefi",
                "--json",
                "--set",
                "lefi.step=2",
                "--set",
                "probe=0.1",
                "--set",
                "speed=2,29",
            ],
        )
        .stdout
    )
    assert told["run"]["mechanism_settings"] == {"step": 2, "probe": 0.1}
    assert told["run"]["settings"] == {"speed": [2, 29]}


def test_progress_goes_to_stderr_only() -> None:
    result = CliRunner().invoke(app, [*RUN, "--json"])
    json.loads(result.stdout)
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("speed=2,29", [2, 29]),
        ("speed=[2, 29]", [2, 29]),
        ("speed=5.5", 5.5),
        ("opt_out=true", True),
        ("kinds=rational,linear", ["rational", "linear"]),
        ("kinds=linear,", ["linear"]),
    ],
)
def test_how_a_setting_is_written(text: str, value: object) -> None:
    told = json.loads(CliRunner().invoke(app, [*RUN, "--mechanism", "uniform", "--json", "--set", text]).stdout)
    assert told["run"]["settings"] == {text.partition("=")[0]: value}


def test_a_total_is_divided_kept_and_said() -> None:
    plain = ["simulate", "--mechanism", "price", "--clients", "4", "--total", "12"]
    told = json.loads(CliRunner().invoke(app, [*plain, "--rounds", "30", "--json"], catch_exceptions=False).stdout)
    assert told["run"]["budget"] == pytest.approx(0.4)
    assert 0 < told["spent"] <= 12
    text = CliRunner().invoke(app, [*plain, "--rounds", "30", "--budget", "2"], catch_exceptions=False).stdout
    assert "ended" in text
    assert "of 12 USD are spent" in text
    refused = CliRunner().invoke(app, [*plain, "--total", "nan"])
    assert refused.exit_code != 0


def test_a_mechanism_that_is_done_says_why() -> None:
    """Without a round, too: then nothing is paid, and one line says why."""
    text = CliRunner().invoke(app, [*RUN, "--mechanism", "pace(uniform, patience=4)"], catch_exceptions=False).stdout
    assert "round 5 of 30" in text
    assert "ended      nothing improves: " in text
    none = CliRunner().invoke(app, [*RUN, "--mechanism", "pace(uniform, target=0.99)"])
    assert none.exit_code == 2
    assert "plays no round: the target 0.99 is above all that cifar10 is known to reach" in none.output
