"""What does not pass the gate: bodies that are too large or too slow, and requests that come too often."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lefi.serve.gate import ADDRESSES, Rates
from lefi.serve.limits import Limits
from tests.serve.running import Caller, served

LIMITS = Limits(body=1000, seconds=0.5)
HEAD = "POST /v1/jobs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with served(tmp_path_factory.mktemp("gate") / "ledger.db", LIMITS) as caller:
        yield caller


def status(call: Caller, *parts: bytes) -> int:
    """The status that a raw request gets; the connection stays open for what does not come."""
    parsed = urlsplit(call.url)
    with socket.create_connection((parsed.hostname, parsed.port), 30) as line:
        for part in parts:
            line.sendall(part)
        return int(line.recv(1000).split()[1])


def test_a_body_that_says_it_is_large(call: Caller) -> None:
    assert status(call, f"{HEAD}content-length: 1001\r\n\r\n".encode()) == 413


def test_a_body_that_does_not_say_it(call: Caller) -> None:
    chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"
    assert status(call, f"{HEAD}transfer-encoding: chunked\r\n\r\n".encode(), chunk, chunk) == 413


def test_a_body_that_never_ends(call: Caller) -> None:
    assert status(call, f"{HEAD}content-length: 100\r\n\r\n".encode(), b'{"job":') == 408


def test_a_bucket_fills_again() -> None:
    rates = Rates(Limits(requests=10, burst=3))
    assert [rates.take("a", 0.0) for _ in range(4)] == [0, 0, 0, pytest.approx(0.1)]
    assert rates.take("b", 0.0) == 0
    assert rates.take("a", 0.05) == pytest.approx(0.05)
    assert rates.take("a", 0.1) == 0
    assert rates.take("a", 0.1) > 0
    for number in range(2 * ADDRESSES):
        rates.take(f"flood-{number}", 1.0)
    assert len(rates.left) == ADDRESSES


def test_the_file_of_refusals_is_for_its_owner(call: Caller, tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db"):
        assert (tmp_path / "ledger.db.refused").stat().st_mode & 0o077 == 0
    assert call("GET", "/v1/me").json["tokens"] is False


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"job": "../x"}', "job is '../x': it must be text that matches "),
        (b"{x", "body is no JSON at byte 1: it must be a JSON object"),
        (b'{"job": "a", "mechanism": "uniform", "terms": {"budget": 1}, "foo": 1}', "foo is 1: it must be left out"),
    ],
)
def test_what_does_not_fit_is_said_in_words(call: Caller, body: bytes, told: str) -> None:
    found = call("POST", "/v1/jobs", body=body)
    assert found.status == 422
    assert found.json["detail"].startswith(told)
