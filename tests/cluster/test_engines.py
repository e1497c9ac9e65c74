"""Engines: the same bytes on worker processes, also when workers are killed; bad names are one line."""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lefi.cluster import engines, opened
from lefi.cluster.engines import Cluster, process
from lefi.errors import InputError, LefiError
from tests.cluster.fleets import played, receipts, small
from tests.dask_processes import Process, dask_processes
from tests.lengths import LONG, covering

ROUNDS = 7


def written(out: Path) -> dict[str, bytes]:
    """Every Parquet of a run, by its place."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.parquet"))}


class Deadly(Cluster):
    """Kills a worker with SIGKILL when the stage of that name is handed out for the given time."""

    def __init__(self, client: Any, deaths: dict[tuple[str, int], int]) -> None:
        super().__init__(client)
        self.deaths, self.seen, self.killed = deaths, dict.fromkeys((name for name, _ in deaths), 0), list[int]()

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        future = super().submit(step, *given)
        name = step.__name__
        if name in self.seen:
            self.seen[name] += 1
            if (name, self.seen[name]) in self.deaths:
                self.kill(self.deaths[name, self.seen[name]])
        return future

    def kill(self, which: int) -> None:
        pids = sorted(self.client.run(process).values())
        self.killed.append(pids[which % len(pids)])
        os.kill(self.killed[-1], signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["waterfill"])
def test_worker_processes_write_the_same_bytes_also_when_killed(tmp_path: Path, mechanism: str) -> None:
    """Seven partitions: the third draft of round 2 and the fifth settlement of round 5 are under way by then."""
    spec = small(mechanism)
    rows = played(spec, tmp_path / "here", ROUNDS)
    expected = written(tmp_path / "here")
    assert len(expected) == 1 + 7 + 7 * ROUNDS
    with opened("local:2") as engine:
        assert isinstance(engine, Cluster)
        deadly = Deadly(engine.client, {("draft", 7 + 3): 0, ("settle", 4 * 7 + 5): 1})
        assert played(spec, tmp_path / "there", ROUNDS, deadly) == rows
    assert len(set(deadly.killed)) == 2
    assert written(tmp_path / "there") == expected


def listening(pid: int) -> set[str]:
    """The addresses on which a process listens for TCP."""
    inodes = set()
    for link in Path("/proc", str(pid), "fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path("/proc/net", table).read_text().splitlines()]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}


@pytest.mark.slow
def test_workers_and_scheduler_listen_on_loopback_only() -> None:
    before = listening(process())
    with opened("local:2") as engine:
        assert isinstance(engine, Cluster)
        workers = list(engine.client.run(process).values())
        found = [listening(pid) for pid in workers] + [listening(process()) - before]
    assert len(workers) == 2
    assert all(found)
    assert set().union(*found) == {"0100007F"}  # 127.0.0.1, as the kernel writes it


class Fatal(Cluster):
    """Kills the scheduler when the stage of that name is handed out for the given time."""

    def __init__(self, client: Any, scheduler: Process, stage: str, times: int) -> None:
        super().__init__(client)
        self.scheduler, self.stage, self.left = scheduler, stage, times

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        if step.__name__ == self.stage:
            self.left -= 1
            if self.left == 0:
                self.scheduler.kill()
                self.scheduler.wait(20)
        return super().submit(step, *given)


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="part of make long; worker processes write the same bytes in make test")
def test_a_cluster_writes_the_same_bytes_and_a_lost_scheduler_is_one_line(tmp_path: Path) -> None:
    spec = small("price")
    rows = played(spec, tmp_path / "here", ROUNDS)
    with dask_processes(tmp_path) as (place, processes), opened(f"dask://{place}") as engine:
        assert isinstance(engine, Cluster)
        assert played(spec, tmp_path / "there", ROUNDS, engine) == rows
        fatal = Fatal(engine.client, processes[0], "settle", 3 * 7 + 4)
        with pytest.raises(LefiError, match="the scheduler is lost") as error:
            played(spec, tmp_path / "lost", ROUNDS, fatal)
    assert "\n" not in str(error.value)
    assert written(tmp_path / "there") == written(tmp_path / "here")
    assert played(spec, tmp_path / "lost", ROUNDS) == rows
    assert written(tmp_path / "lost") == written(tmp_path / "here")


@pytest.mark.parametrize(
    "engine", ["", "local", "local:", "local:0", "local:-1", "local:two", "local:9999", "ray://a:1", "dask://nowhere"]
)
def test_a_bad_engine_is_one_line(engine: str) -> None:
    with pytest.raises(InputError, match=r"engine is .*local:WORKERS") as error, opened(engine):
        pass
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("engine", ["dask://127.0.0.1:9", "tls://127.0.0.1:9"])
def test_a_missing_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(engines, "PATIENCE", 1)
    with pytest.raises(LefiError, match=f"cannot reach {engine}") as error, opened(engine):
        pass
    assert "\n" not in str(error.value)


class Stopping:
    """Stops the run, as Ctrl-C does, when that stage is handed out for the given time."""

    def __init__(self, stage: str, times: int) -> None:
        self.stage, self.left = stage, times

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        if step.__name__ == self.stage:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return step(*given)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        return list(futures)


STOPS = (("begin", 3), ("settle", 3 * 7 + 2), ("tell", 5 * 7 + 4), ("save_state", 4), ("settle", 43))


@pytest.mark.parametrize(("mechanism", "stop"), covering(("waterfill", "lefi", "price", "uniform"), STOPS))
def test_a_stopped_run_goes_on_to_the_same_bytes(tmp_path: Path, mechanism: str, stop: tuple[str, int]) -> None:
    spec, (stage, times) = small(mechanism), stop
    rows = played(spec, tmp_path / "whole", ROUNDS)
    with pytest.raises(KeyboardInterrupt):
        played(spec, tmp_path / "stopped", ROUNDS, Stopping(stage, times))
    assert played(spec, tmp_path / "stopped", ROUNDS) == rows
    assert written(tmp_path / "stopped") == written(tmp_path / "whole")


def test_a_finished_run_is_read_and_a_longer_one_goes_on(tmp_path: Path) -> None:
    spec = small("lefi")
    rows = played(spec, tmp_path / "a", 9)
    short = played(spec, tmp_path / "b", 6)
    assert short == rows[:6]
    assert played(spec, tmp_path / "b", 6, Stopping("begin", 1)) == rows[:6]  # nothing is computed
    assert played(spec, tmp_path / "b", 9) == rows
    assert receipts(tmp_path / "b").equals(receipts(tmp_path / "a"), null_equal=True)
