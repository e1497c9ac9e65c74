"""Events: one per row, with the row's number as id; a reconnect goes on from the last one."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lefi.serve import events
from tests.serve.running import Caller, served
from tests.serve.test_rounds import ANSWERS, ROSTER, begun

Event = tuple[str, dict[str, Any], int]


class Stream:
    """Reads a stream of events, one at a time."""

    def __init__(self, reply: http.client.HTTPResponse) -> None:
        self.reply = reply

    def block(self) -> dict[str, str]:
        lines = {}
        while line := self.reply.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            lines[name] = value
        return lines

    def event(self) -> Event:
        while True:
            found = self.block()
            if "event" in found:
                return found["event"], json.loads(found["data"]), int(found["id"])

    def until(self, name: str, data: dict[str, Any]) -> Event:
        while True:
            found = self.event()
            if found[:2] == (name, data):
                return found


@contextmanager
def watched(call: Caller, path: str, last: int | None = None) -> Iterator[Stream]:
    line = http.client.HTTPConnection(urlsplit(call.url).netloc, timeout=30)
    line.request("GET", f"{path}/events", headers={} if last is None else {"last-event-id": str(last)})
    reply = line.getresponse()
    try:
        assert reply.status == 200
        assert reply.getheader("content-type", "").startswith("text/event-stream")
        yield Stream(reply)
    finally:
        reply.close()
        line.close()


def played(call: Caller, path: str, round: int) -> None:
    assert call("PUT", f"{path}/rounds/{round}", ROSTER).status == 200
    assert call("POST", f"{path}/rounds/{round}/answers", ANSWERS).status == 200


def test_rounds_and_states_as_they_come(tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db") as call:
        path = begun(call, "a", terms={"budget": 5.0, "rounds": 4})
        played(call, path, 1)
        with watched(call, path) as stream:
            assert [stream.event() for _ in range(3)] == [
                (name, {name: value}, call("GET", path).json["row"])
                for name, value in (("state", "running"), ("budget", 5.0), ("round", 1))
            ]
            played(call, path, 2)
            _, _, row = stream.until("round", {"round": 2})
            call("POST", f"{path}/pause")
            stream.until("state", {"state": "paused"})
            call("PUT", f"{path}/budget", {"budget": 2.5})
            stream.until("budget", {"budget": 2.5})
            call("POST", f"{path}/resume")
            stream.until("state", {"state": "running"})
            played(call, path, 3)
            stream.until("round", {"round": 3})
    with served(tmp_path / "ledger.db") as call, watched(call, path, row) as stream:  # as after a kill
        assert stream.event()[:2] == ("budget", {"budget": 2.5})
        assert stream.event()[:2] == ("round", {"round": 3})
        played(call, path, 4)
        stream.until("state", {"state": "finished"})


def test_a_silent_stream_has_a_heart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT", 0.5)
    with served(tmp_path / "ledger.db") as call:
        path = begun(call, "a")
        with watched(call, path, 10**18) as stream:
            assert stream.block() == {"retry": "1000"}
            assert stream.block() == {"": "here"}
            assert stream.block() == {"": "here"}


def test_streams_are_counted_and_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "STREAMS", 2)
    with served(tmp_path / "ledger.db") as call:
        path = begun(call, "a")
        with watched(call, path) as one, watched(call, path) as two:
            one.event()
            two.event()
            assert call("GET", f"{path}/events").status == 503
        for _ in range(100):
            try:
                with watched(call, path) as stream:
                    stream.event()
                break
            except AssertionError:
                continue
        else:
            pytest.fail("a stream that was closed still counts")
        assert call("GET", "/v1/jobs/nobody/events").status == 404
