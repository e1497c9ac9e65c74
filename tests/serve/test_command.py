"""`lefi serve` as a process: it says where it listens, ends by ctrl-c, and the demonstration plays by itself."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lefi.errors import LefiError
from lefi.serve.limits import Limits
from lefi.serve.live import Live
from lefi.serve.server import Address, _listening, run
from tests.serve.running import Caller, free_port, served
from tests.serve.test_events import watched
from tests.serve.test_rounds import ROSTER, begun


@contextmanager
def command(*arguments: str, **options: Any) -> Iterator["subprocess.Popen[str]"]:
    started = [sys.executable, "-c", "from lefi.cli import app; app()", "serve", *arguments]
    process = subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_it_starts_and_stops(tmp_path: Path) -> None:
    port = free_port()
    with command("--ledger", str(tmp_path / "ledger.db"), "--port", str(port)) as process:
        assert process.stdout
        assert f"http://127.0.0.1:{port}" in process.stdout.readline()
        assert Caller(f"http://127.0.0.1:{port}")("GET", "/v1/jobs").json["jobs"] == []
        with pytest.raises(LefiError, match="choose another --port"):
            run(str(tmp_path / "other.db"), Address(port=port), Limits(), say=print)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        assert process.returncode == 0


def test_replies_do_not_wait_for_each_other_s_receipts() -> None:
    with _listening(Address(port=free_port())) as line:
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.slow
def test_the_demonstration_plays_and_leaves_nothing(tmp_path: Path) -> None:
    port = free_port()
    with command("--demo", "--port", str(port), env={"TMPDIR": str(tmp_path), **_environment()}) as process:
        assert process.stdout
        call = Caller(process.stdout.readline().split()[2])
        for _ in range(1000):
            if "hospitals" in {job["job"] for job in call("GET", "/v1/jobs").json["jobs"]}:
                break
        with watched(call, "/v1/jobs/hospitals") as stream:
            stream.until("round", {"round": 2})
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "TMPDIR"}


def test_a_demonstration_does_not_follow_the_host_header(tmp_path: Path) -> None:
    """Its token would go to whatever the header names."""
    with served(tmp_path / "ledger.db") as call:
        assert call("POST", "/v1/playground/demo", host="localhost:1").status == 202
        for _ in range(1000):
            if call("GET", "/v1/jobs").json["jobs"]:
                break
            time.sleep(0.02)
        assert [job["job"] for job in call("GET", "/v1/jobs").json["jobs"]] == ["hospitals"]
        call("POST", "/v1/jobs/hospitals/stop")


def test_a_slow_job_keeps_nobody_else_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More callers wait for one job than there are threads; another job goes on meanwhile."""
    release, plain = threading.Event(), Live.preview

    def preview(self: Live, body: Any) -> Any:
        if self.ledger.job == "slow":
            release.wait(60)
        return plain(self, body)

    monkeypatch.setattr(Live, "preview", preview)
    with served(tmp_path / "ledger.db") as call:
        slow, quick = begun(call, "slow"), begun(call, "quick")
        statuses: list[int] = []

        def ask() -> None:
            statuses.append(call("POST", f"{slow}/preview", ROSTER).status)

        waiting = [threading.Thread(target=ask) for _ in range(40)]
        for thread in waiting:
            thread.start()
        assert call("PUT", f"{quick}/rounds/1", ROSTER).status == 200
        assert call("POST", f"{quick}/preview", ROSTER).status == 200
        assert call("GET", slow).status == 200
        release.set()
        for thread in waiting:
            thread.join()
    assert set(statuses) == {200, 503}  # 32 waited, the others were sent away
    assert statuses.count(503) == 8
