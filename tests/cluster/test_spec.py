"""What cannot be played in partitions is refused in one line, before anything is started."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.cluster import usual_partitions
from lefi.errors import InputError, LefiError
from tests.cluster.fleets import played, small


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"partitions": 0}, "partitions is 0"),
        ({"partitions": -1}, "partitions is -1"),
        ({"partitions": 61}, "at most one per client, 60"),
        ({"partitions": 4097, "clients": 10_000}, "partitions is 4097"),
        ({"clients": 0}, "clients is 0"),
        ({"mechanism": "auction"}, "one that can be divided: lefi, price, uniform, waterfill"),
        ({"mechanism": "pace(price)"}, "one that can be divided"),
        ({"mechanism": "lefi", "mechanism_settings": {"solve": "exact"}}, "solve=exact ranks the whole fleet"),
        ({"scenario": "churning"}, "churn is 0.05"),
        ({"settings": {"learning": "cifar10"}}, "learning is 'cifar10'"),
        ({"settings": {"speed": "fast"}}, "speed is 'fast'"),
        ({"budget": 0.0}, "budget is 0.0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_specs_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(LefiError) as error:
        small(**({"mechanism": "uniform"} | changed))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("clients", "partitions"), [(3, 3), (1000, 8), (10**7, 20), (10**12, 4096)])
def test_the_usual_number_of_partitions(clients: int, partitions: int) -> None:
    assert usual_partitions(clients) == partitions


@pytest.mark.parametrize(
    "changed", [{"seed": 4}, {"partitions": 5}, {"budget": 9.0}, {"mechanism": "lefi"}, {"settings": {"noise": 0.1}}]
)
def test_other_settings_do_not_go_on_in_the_folder(tmp_path: Path, changed: dict[str, Any]) -> None:
    played(small("uniform"), tmp_path / "out", 2)
    with pytest.raises(InputError, match=f"other {next(iter(changed))}"):
        played(small(**({"mechanism": "uniform"} | changed)), tmp_path / "out", 3)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="a new folder"):
        played(small("uniform"), tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def damage(out: Path, what: str) -> None:
    if what == "run.json":
        (out / what).write_text("{")
    elif what == "rounds.parquet":
        pl.read_parquet(out / what)[1:].write_parquet(out / what)
    else:
        next(out.glob(what)).write_bytes(b"no such thing")


@pytest.mark.parametrize(
    "what", ["run.json", "rounds.parquet", "state/*/part-0003.pickle", "receipts/round-000005/part-0003.parquet"]
)
def test_damage_is_one_line(tmp_path: Path, what: str) -> None:
    played(small("uniform"), tmp_path / "out", 6)
    damage(tmp_path / "out", what)
    with pytest.raises(LefiError) as error:
        played(small("uniform"), tmp_path / "out", 9)
    assert "\n" not in str(error.value)


COMMAND = ["simulate", "--mechanism", "uniform", "--scenario", "mixed", "--clients", "2e1", "--rounds", "3"]


def test_the_command_plays_and_goes_on(tmp_path: Path) -> None:
    command = [*COMMAND, "--engine", "here", "--out", str(tmp_path / "out"), "--json"]
    first, again = (CliRunner().invoke(app, command) for _ in range(2))
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert (told["round"], told["budget"]) == (3, 10.0)
    assert told["overspend"] >= 0
    assert json.loads(again.stdout) == told
    assert len(list((tmp_path / "out" / "receipts").rglob("*.parquet"))) == 3 * 8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "here"], "out is None"),
        (["--engine", "local:0", "--out", "OUT"], "engine is 'local:0'"),
        (["--engine", "here", "--out", "OUT", "--partitions", "0"], "partitions is 0"),
        (["--engine", "here", "--out", "OUT", "--every", "0"], "every is 0"),
        (["--engine", "here", "--out", "OUT", "--total", "5"], "total is 5"),
        (["--partitions", "2"], "given with --engine"),
        (["--clients", "1.5"], "'1.5' is not a whole number"),
        (["--clients", "many"], "'many' is not a whole number"),
        (["--clients", "inf"], "'inf' is not a whole number"),
    ],
)
def test_bad_options_are_one_line(tmp_path: Path, options: list[str], said: str) -> None:
    given = [str(tmp_path / "out") if option == "OUT" else option for option in options]
    result = CliRunner().invoke(app, [*COMMAND, *given])
    assert result.exit_code == 2
    assert said in result.stderr.splitlines()[-1]
