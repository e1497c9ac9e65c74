"""The post: replies one by one, with the time at which they came; nothing that one client sends holds up the others."""

import logging
from collections.abc import Callable, Iterable
from threading import Event
from typing import Any

import httpx
import pytest
from flwr.app import Message, RecordDict

from lefi.flower import LocalGrid, post
from lefi.flower.post import Post, ask
from tests.flower import toy


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Slow(LocalGrid):
    """Replies come at given seconds, or raise when they are pulled."""

    def __init__(self, clock: Clock, comes: Callable[[int], Any]) -> None:
        super().__init__(toy.app(), 0)
        self.clock, self.comes, self.nodes, self.looks = clock, comes, dict[str, Message](), 0

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        for message in messages:
            message.metadata.__dict__["_message_id"] = f"m{message.metadata.dst_node_id}"
            self.nodes[message.metadata.message_id] = message
        return list(self.nodes)

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        self.looks += 1
        found = []
        for id in message_ids:
            when = self.comes(self.nodes[id].metadata.dst_node_id)
            if isinstance(when, Event):
                when.wait(20)
            elif isinstance(when, BaseException):
                raise when
            elif when <= self.clock.now:
                found.append(Message(RecordDict(), reply_to=self.nodes[id]))
        return found


def send(comes: Callable[[int], Any], nodes: int, kind: str = "query.hello", **settings: Any) -> tuple[Post, list[int]]:
    clock = Clock()
    grid = Post(Slow(clock, comes), settings.pop("longest", float("inf")), clock, clock.sleep)
    messages = [Message(RecordDict(), node, kind) for node in range(1, nodes + 1)]
    replies = grid.send_and_receive(messages, **settings) if settings else ask(grid, messages, 600.0, 60.0)
    return grid, sorted(reply.metadata.src_node_id for reply in replies)


def test_every_reply_has_its_time() -> None:
    grid, heard = send(lambda node: 10.0 * node, 5, timeout=300)
    assert heard == [1, 2, 3, 4, 5]
    assert all(10 * n <= grid.seconds[f"m{n}"] <= 10 * n + post.LONGEST for n in range(1, 6))


def test_a_mute_node_costs_its_own_short_time_out() -> None:
    """The first answer came after 50 s, so the others have 60 s more, not 600."""
    grid, heard = send(lambda node: 50.0 if node == 1 else 1e9, 3)
    assert heard == [1]
    assert 110 <= grid.clock.now <= 110 + 2 * post.LONGEST  # type: ignore[attr-defined]


def test_where_nobody_answers_patience_is_the_end() -> None:
    grid, heard = send(lambda node: 1e9, 3)
    assert heard == []
    assert grid.clock.now == pytest.approx(600, abs=post.LONGEST)  # type: ignore[attr-defined]


def test_training_ends_with_the_deadline() -> None:
    grid, heard = send(lambda node: 30.0 if node == 1 else 1e9, 2, "train", timeout=3600, longest=90.0)
    assert heard == [1]
    assert grid.clock.now <= 90 + post.LONGEST  # type: ignore[attr-defined]


def test_a_reply_that_cannot_be_read_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="flwr"):
        _, heard = send(lambda node: ValueError("\x1b[2J" * 1000) if node == 2 else 0.0, 4, timeout=100)
    assert heard == [1, 3, 4]
    assert "cannot be read" in caplog.text
    assert "\x1b" not in caplog.text


def test_a_reply_that_never_ends_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than there are threads."""
    monkeypatch.setattr(post, "STUCK", 0.3)
    never = Event()
    _, heard = send(lambda node: never if node <= 10 else 0.0, 14, timeout=20)
    never.set()
    assert heard == [11, 12, 13, 14]


def test_a_broken_link_is_nobodys_fault() -> None:
    with pytest.raises(httpx.ConnectError):
        send(lambda node: httpx.ConnectError("no SuperLink"), 2, timeout=100)


def test_nothing_to_send() -> None:
    grid, heard = send(lambda node: 0.0, 0, timeout=100)
    assert heard == []
    assert grid.grid.looks == 0  # type: ignore[attr-defined]
