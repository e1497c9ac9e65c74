"""What a stranger does with the docs in hand: things of one's own, from a file and from an installed package."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lefi
from lefi import registry
from lefi.cli import app
from lefi.studies import results
from lefi.testing import check_accuracy, check_behaviour, check_cost, check_mechanism, check_offer, check_scenario

ROOT = Path(__file__).parents[2]
OWN = ROOT / "examples" / "own"
MINE = str(OWN / "mine.py")
POINTS = {
    "mechanism": {"fixed": "mine:Fixed", "tiers": "mine:Tiers"},
    "scenario": {"city": "mine:city"},
    "behaviour": {"sleepy": "mine:Sleepy"},
    "payment": {"tiers": "mine:TierOffer"},
    "accuracy": {"root": "mine:Root"},
    "cost": {"cheap": "mine:cheap"},
}


def command(*arguments: str, folder: Path, path: str) -> "subprocess.CompletedProcess[str]":
    where = os.pathsep.join(part for part in (path, *sys.path) if part)
    return subprocess.run(
        [sys.executable, "-c", "from lefi.cli import app; app()", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": where, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder outside the repo with the stranger's file and study."""
    for file in ("mine.py", "own.toml"):
        shutil.copy(OWN / file, tmp_path)
    return tmp_path


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The same file as an installed package: a module, and metadata with entry points."""
    place = tmp_path / "site"
    about = place / "mine-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(OWN / "mine.py", place)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    groups = (f"[lefi.{kind}]\n" + "".join(f"{n} = {v}\n" for n, v in named.items()) for kind, named in POINTS.items())
    (about / "entry_points.txt").write_text("\n".join(groups))
    return place


def judge(folder: Path, labels: list[str], seeds: int = 3) -> None:
    """A finished study of one's own: tables with intervals, figures, a LaTeX table, a page."""
    place = folder / "results" / "own"
    told = pl.read_csv(place / "tables" / "summary.csv")
    assert told["mechanism"].to_list() == labels
    assert {"share_12", "share_12_low", "share_12_high", "lead", "accuracy"} <= set(told.columns)
    assert set((place / "figures").iterdir()) >= {place / "figures" / f"share.{kind}" for kind in ("png", "svg", "pdf")}
    latex = (place / "tables" / "summary.tex").read_text()
    assert r"\toprule" in latex
    assert all(label in latex for label in labels)
    assert "<img" in (place / "report.html").read_text()
    found = results(folder / "results", "own")
    assert found.labels == labels
    assert found.rounds.height == 12 * seeds * len(labels)
    assert float(found.rounds["share"].fill_nan(None).max()) <= 1 + 1e-9  # type: ignore[arg-type]
    tiers = found.clients.filter(pl.col("mechanism") == "tiers")
    assert set(tiers["bar"]) == {3.0}  # the columns of a way of paying of one's own
    assert tiers["weight"].is_nan().all()


@pytest.fixture
def here(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package can be imported in this process while a test lasts."""
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    registry._points.cache_clear()
    yield installed
    registry._points.cache_clear()


def test_everything_of_ones_own_from_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["compare", "--study", "own.toml", "--jobs", "1"])
    assert done.exit_code == 0, done.stderr
    assert "page: results/own/report.html" in done.stdout
    judge(folder, ["fixed", "half", "tiers", "waterfill", "uniform"])


def test_everything_of_ones_own_from_an_installed_package(tmp_path: Path, here: Path) -> None:
    """In processes of their own: a command, and two that it starts."""
    study = (OWN / "own.toml").read_text().replace("mine.py:Fixed", "fixed").replace("mine.py:Tiers", "tiers")
    study = study.replace("mine.py:city", "city").replace("mine.py:Root", "root").replace("mine.py:Sleepy", "sleepy")
    (tmp_path / "own.toml").write_text(study)
    listed = CliRunner().invoke(app, ["list", "--json"])
    assert listed.exit_code == 0, listed.stderr
    rows = json.loads(listed.stdout)
    for kind, named in POINTS.items():
        assert named.items() <= {row["name"]: row["from"] for row in rows[kind]}.items()
    options = ["--jobs", "2", "--seeds", "1"]
    done = command("compare", "--study", "own.toml", *options, folder=tmp_path, path=str(here))
    assert done.returncode == 0, done.stderr
    judge(tmp_path, ["fixed", "half", "tiers", "waterfill", "uniform"], seeds=1)


def test_what_is_ones_own_keeps_the_contracts() -> None:
    made = lefi.make(
        f"{MINE}:Tiers(bar=2)", lefi.Terms(1.0, lefi.accuracy(f"{MINE}:Root"), payment=f"{MINE}:TierOffer")
    )
    roster = lefi.scenario("mixed", clients=4).fleet.roster
    assert "the worst case is the worst" in str(check_offer(made.ask(roster)))
    assert "ask is pure" in str(check_mechanism(lambda terms, seed=0: lefi.make(f"{MINE}:Fixed", terms, seed=seed)))
    assert "its slope is the slope" in str(check_accuracy(lefi.accuracy(f"{MINE}:Root")))
    assert "more costs more" in str(check_cost(lefi.cost(f"{MINE}:cheap")))
    assert "the seed decides" in str(check_scenario(f"{MINE}:city", clients=5, dear=3.0))
    assert "it wraps a fleet" in str(check_behaviour(f"{MINE}:Sleepy(share=0.2)"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('scenario = "mine.py:nowhere"', "unknown name in mine.py 'nowhere'"),
        ('scenario = "mine.py:Array"', "it is no settings, market or fleet"),
        ('scenario = "nofile.py:city"', "a Python file that exists"),
        ('mechanisms = ["mine.py:city"]', "mechanism 'mine.py:city' cannot be made: TypeError"),
        ('mechanisms = ["mine.py:cheap"]', "cannot be the mechanism 'cheap': it is no class and no function"),
        ('mechanisms = ["mine.py:Root"]', "cannot be the mechanism 'root': it has no ask and no tell"),
        ('settings = {accuracy = "mine.py:cheap"}', "accuracy 'mine.py:cheap' cannot be made: TypeError"),
        ('settings = {accuracy = "mine.py:Fixed"}', "cannot be the accuracy 'fixed': it has no slope"),
        ('settings = {behaviours = ["mine.py:cheap"]}', "cannot be the behaviour 'cheap': it is no class"),
        ("settings = {nonsense = 3}", "unknown setting of 'mine.py:city' 'nonsense'"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_run(
    folder: Path, line: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = line.partition(" =")[0]
    given = {"scenario": 'scenario = "mine.py:city"', "mechanisms": 'mechanisms = ["uniform"]'} | {key: line}
    (folder / "bad.toml").write_text("\n".join(['name = "bad"', *given.values()]) + "\n")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["compare", "--study", "bad.toml", "--seeds", "1", "--rounds", "2"])
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert said in done.stderr
    assert not (folder / "results" / "bad").exists()


def test_a_package_that_does_not_load_or_reuses_a_name_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    points = here / "mine-1.0.dist-info" / "entry_points.txt"
    points.write_text("[lefi.mechanism]\nbroken = mine_nowhere:Mine\nuniform = mine:Fixed\n")
    listed = CliRunner().invoke(app, ["list", "mechanism"])
    assert listed.exit_code == 0, listed.stderr
    assert "cannot load entry point 'broken' of mine (mine_nowhere:Mine): ModuleNotFoundError" in listed.stdout
    assert "mechanism 'uniform' is registered already, by lefi" in listed.stdout
    done = CliRunner().invoke(app, ["simulate", "--mechanism", "broken", "--rounds", "2"])
    assert done.exit_code == 2
    assert "cannot load entry point 'broken' of mine" in done.stderr


def test_the_example_of_the_docs_keeps_its_contract_without_a_warning() -> None:
    """Warnings are errors here: nobody may have answered, and the mean of nothing is one."""
    greedy = registry.load_module(str(ROOT / "examples" / "greedy.py")).Greedy
    assert check_mechanism(greedy).clauses
