"""Runs give the same bytes however they are run, and what is finished stays finished."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lefi
from lefi.receipts import Tables
from lefi.studies.plan.one_run import Run
from lefi.studies.plan.study import Study
from lefi.studies.run import work as module
from lefi.studies.run.load import about, load
from lefi.studies.run.processes import spread
from lefi.studies.run.record import record
from lefi.studies.run.runner import Standing, run_studies, run_study
from lefi.studies.run.store import clear_leftovers

SMALL: dict[str, Any] = {
    "name": "small",
    "mechanisms": ["lefi", "bara", "random", "uniform"],
    "scenario": "mixed",
    "rounds": 8,
    "seeds": 2,
    "sweep": {"setting": "clients", "values": [3, 6]},
}
MINE = Path(__file__).with_name("mine.py")


def contents(folder: Path) -> dict[str, bytes]:
    """The tables of finished runs; those that are still being written lie in hidden folders."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*/[!.]*/*.parquet"))}


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs that are really played from now on, in their order."""
    played: list[Run] = []

    def watch(run: Run) -> Tables:
        played.append(run)
        return record(run)

    monkeypatch.setattr(module, "record", watch)
    return played


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results")
    run_study(Study.build(SMALL), out)
    return out


def test_same_seed_same_bytes_twice_and_with_two_jobs(finished: Path, tmp_path: Path) -> None:
    run_study(Study.build(SMALL), tmp_path / "again")
    run_study(Study.build(SMALL), tmp_path / "two", jobs=2)
    expected = contents(finished)
    assert len(expected) == 2 * 16
    assert contents(tmp_path / "again") == expected
    assert contents(tmp_path / "two") == expected


def test_another_seed_gives_other_bytes(finished: Path, tmp_path: Path) -> None:
    run_study(Study.build(SMALL | {"seed": 7, "seeds": 1}), tmp_path)
    assert not set(contents(tmp_path).values()) & set(contents(finished).values())


def test_finished_runs_are_skipped_and_more_seeds_only_add(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "results"
    shutil.copytree(finished, out)
    played = watched(monkeypatch)
    run_study(Study.build(SMALL), out)
    assert played == []
    told: list[Standing] = []
    run_study(Study.build(SMALL | {"seeds": 3}), out, progress=told.append)
    assert [run.seed for run in played] == [2] * 8
    assert [standing.done for standing in told] == list(range(16, 25))
    assert told[-1] == Standing(24, 24, 1.0)
    assert load("small", out)[0]["seed"].unique().sort().to_list() == [0, 1, 2]


def test_load_is_sorted_whole_and_leaves_older_runs_out(finished: Path, tmp_path: Path) -> None:
    rounds, clients = load("small", finished)
    assert rounds.height == 16 * 8
    assert rounds.equals(rounds.sort("clients", "mechanism", "seed", "round"))
    assert clients.height == 8 * 8 * (3 + 6)
    assert about("small", finished)["study"]["rounds"] == 8
    out = tmp_path / "results"
    shutil.copytree(finished, out)
    run_study(Study.build(SMALL | {"rounds": 4, "mechanisms": ["uniform"]}), out)
    assert load("small", out)[0].height == 4 * 4


def test_longest_runs_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = watched(monkeypatch)
    run_study(Study.build(SMALL | {"mechanisms": ["uniform"]}), tmp_path)
    assert [run.clients for run in played] == [6, 6, 3, 3]


@pytest.mark.parametrize("jobs", [1, 2])
def test_mechanisms_of_the_user_reach_the_workers_which_several_studies_share(tmp_path: Path, jobs: int) -> None:
    own = SMALL | {"mechanisms": [f"{MINE}:Fixed", "uniform"], "mechanism": {"fixed": {"part": 0.5}}}
    studies = [Study.build(own | {"name": name}) for name in ("a", "b")]
    assert run_studies(studies, tmp_path, jobs=jobs) == [tmp_path / "a", tmp_path / "b"]
    rounds, clients = load("a", tmp_path)
    assert load("b", tmp_path)[0].equals(rounds)
    assert set(rounds["mechanism"]) == {"fixed", "uniform"}
    assert set(clients.filter(pl.col("mechanism") == "fixed")["weight"]) == {0.25}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bug_of_the_user_is_named_with_its_line_and_the_rest_is_kept(tmp_path: Path, jobs: int) -> None:
    alone = Study.build(SMALL | {"mechanisms": ["uniform"], "sweep": None, "clients": 3})
    run_study(alone, tmp_path)
    kept = contents(tmp_path)
    study = alone.changed(mechanisms=["uniform", f"{MINE}:Failing"])
    with pytest.raises(lefi.LefiError, match=r"failing with seed \d failed at .*mine\.py:\d+: ZeroDivisionError"):
        run_study(study, tmp_path, jobs=jobs)
    assert kept.items() <= contents(tmp_path).items()
    assert not list(tmp_path.glob("small/.*"))
    assert set(load("small", tmp_path)[0]["mechanism"]) == {"uniform"}  # the study as it was last finished


def test_jobs_0(tmp_path: Path) -> None:
    with pytest.raises(lefi.InputError, match="jobs is 0"):
        run_study(Study.build(SMALL), tmp_path, jobs=0)


KILLED = """
import sys
from lefi.studies.run.runner import run_study
from lefi.studies.plan.study import Study
if __name__ == "__main__":
    run_study(Study.read(sys.argv[1]), sys.argv[2], jobs=2)
"""


LONG: dict[str, Any] = {"name": "killed", "mechanisms": ["uniform", "lefi"], "rounds": 60, "seeds": 10, "clients": 10}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    run_study(Study.build(LONG), out)
    return out


@pytest.mark.parametrize("whole_group", [True, False])
def test_a_killed_study_goes_on_and_ends_with_the_same_tables(
    tmp_path: Path, undisturbed: Path, whole_group: bool
) -> None:
    toml = tmp_path / "killed.toml"
    toml.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in LONG.items()))
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, str(script), str(toml), str(out)], start_new_session=True, env=environment
    )
    try:
        _wait(lambda: len(list(out.glob("killed/[!.]*/run.json"))) >= 3, 120)
        early = contents(out)
        assert process.poll() is None, "the study ended before it could be killed"
    finally:
        # This test's own process (a session of its own), by its id.
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
    _wait(lambda: not _members(process.pid), 30)  # workers end with their parent, however it ends
    kept = contents(out)
    assert early.items() <= kept.items()
    assert len(kept) < 2 * 20
    half = out / "killed" / f".0123.{process.pid}"  # as a kill leaves it that falls into the writing of a run
    half.mkdir()
    shutil.copy(out / next(iter(kept)), half)
    assert contents(out) == kept
    run_study(Study.read(toml), out)
    assert contents(out) == contents(undisturbed)
    assert not list(out.glob("killed/.*"))


def _wait(true: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def _members(group: int) -> list[str]:
    """Living processes of a process group (those that only wait to be reaped do not count)."""
    result = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, own = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(own) == group and state != "Z":
            result.append(stat.parent.name)
    return result


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(tmp_path: Path) -> None:
    dead, ended = (subprocess.Popen([sys.executable, "-c", ""]) for _ in range(2))
    dead.wait()
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has reaped it
    for owner in (dead.pid, ended.pid, os.getpid()):
        (tmp_path / f".0123.{owner}").mkdir()
    clear_leftovers(tmp_path)
    ended.wait()
    assert [path.name for path in tmp_path.iterdir()] == [f".0123.{os.getpid()}"]


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A real full disk: a small tmpfs, where the machine lets us mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        with pytest.raises(lefi.LefiError, match=r"cannot write to .*: No space left on device") as caught:
            run_study(Study.build(SMALL | {"seeds": 20}), disk)
        assert "\n" not in str(caught.value)
        kept = list(disk.glob("small/*"))
        assert kept
        assert all((run / "run.json").is_file() and (run / "clients.parquet").is_file() for run in kept)
        assert not list(disk.glob("small/.*"))
        for run in kept:
            assert pl.read_parquet(run / "rounds.parquet").height == 8
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_other_processes_begin_before_a_result_is_asked_for(tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "two"]
    results = spread(Path.touch, places, 2)
    for _ in range(1200):  # a minute: a busy machine starts processes late
        if all(place.exists() for place in places):
            break
        time.sleep(0.05)
    assert all(place.exists() for place in places)
    assert list(results) == [None, None]
