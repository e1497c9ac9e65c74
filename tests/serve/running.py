"""A service for tests: on a free port of the loopback, in a thread or in a process of its own."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lefi.serve.limits import Limits
from lefi.serve.server import Address, server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Reply:
    """What came back: the body read as JSON where it is."""

    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)


@dataclass(frozen=True)
class Caller:
    """Calls a service, each time on a new connection."""

    url: str
    token: str | None = None

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            told["authorization"] = f"Bearer {self.token}"
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if raw is not None:
            told.setdefault("content-type", "application/json")
        line = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        try:
            line.request(method, path, raw, told)
            reply = line.getresponse()
            return Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            line.close()


@contextmanager
def served(
    place: str | Path, limits: Limits | None = None, port: int | None = None, tls: Path | None = None
) -> Iterator[Caller]:
    """The service in a thread of this process. `tls`: a file with certificate and key."""
    address = Address(port=port or free_port(), cert=tls, key=tls)
    running = server(str(place), address, limits)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not running.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    assert running.started, "the service did not start"
    try:
        yield Caller(address.url)
    finally:
        running.should_exit = True
        thread.join(30)
