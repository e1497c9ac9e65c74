"""`Post`: a grid around Flower's own that takes in replies one by one, notes when each came, and never waits for all.

Flower's grid pulls all replies in one call. A reply that cannot be read then takes the others with it, and one whose
parts were announced and never sent holds the call for hours. Here each reply is pulled by itself, in a thread.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from logging import WARNING
from queue import Empty, SimpleQueue
from threading import Thread

import httpx
from flwr.app import Message, RecordDict
from flwr.common import log
from flwr.proto.node_pb2 import NodeInfo
from flwr.serverapp import Grid
from flwr.supercore.run import Run

from lefi.books.verdicts import plain

SHORTEST, LONGEST = 0.2, 3.0  # seconds between two looks; Flower's own grid takes 3
THREADS = 8
STUCK = 10.0  # seconds after which a look no longer waits for the threads that pull
GRACE = 60.0  # seconds; a SuperNode starts a process for each message, 17 to 39 s on a busy machine with 2 cores

Pulled = tuple[str, list[Message] | Exception]


class Post(Grid):
    """Sends through another grid. `seconds`: when each reply of the last exchange came, by the message it answers."""

    def __init__(
        self,
        grid: Grid,
        longest: float = float("inf"),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.grid, self.longest, self.clock, self.sleep = grid, longest, clock, sleep
        self.in_bulk = type(grid).__name__ == "InMemoryGrid"  # Flower's simulation: nothing to be read, no threads
        self.seconds: dict[str, float] = {}

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        """As any grid, but for training at most `longest` seconds: who is later is late anyway."""
        messages = list(messages)
        wait = float("inf") if timeout is None else timeout
        if any(message.metadata.message_type.startswith("train") for message in messages):
            wait = min(wait, self.longest)
        return self.exchange(messages, wait)

    def exchange(self, messages: list[Message], wait: float, after_first: float = float("inf")) -> list[Message]:
        """Send, and collect replies for `wait` seconds; once the first is there, for `after_first` seconds more."""
        self.seconds = {}
        if not messages:
            return []
        open_ids = {id for id in self.grid.push_messages(messages) if id}
        began, end, pause = self.clock(), wait, SHORTEST
        replies: list[Message] = []
        busy: set[str] = set()
        results: SimpleQueue[Pulled] = SimpleQueue()
        while open_ids:
            found = self._look(open_ids, busy, results)
            now = self.clock() - began
            for reply in found:
                self.seconds.setdefault(reply.metadata.reply_to_message_id, now)
            if found and not replies:
                end = min(end, now + after_first)
            replies += found
            if not open_ids or now >= end:
                break
            self.sleep(min(pause, end - now))
            pause = min(2 * pause, LONGEST)
        return replies

    def _look(self, open_ids: set[str], busy: set[str], results: "SimpleQueue[Pulled]") -> list[Message]:
        """Replies that are there now. `busy`: those that a thread is still pulling."""
        if self.in_bulk:
            found = list(self.grid.pull_messages(open_ids))
            open_ids -= {reply.metadata.reply_to_message_id for reply in found}
            return found
        waiting = deque(sorted(open_ids - busy))
        busy |= set(waiting)
        for _ in range(min(THREADS, len(waiting))):
            Thread(target=self._pull, args=(waiting, results), daemon=True).start()
        found = []
        end = time.monotonic() + STUCK
        while busy:
            try:
                id, pulled = results.get(timeout=max(end - time.monotonic(), 0))
            except Empty:
                break
            busy.discard(id)
            found += self._read(id, pulled, open_ids)
        busy -= set(waiting)  # nobody got to these
        waiting.clear()
        return found

    def _pull(self, waiting: "deque[str]", results: "SimpleQueue[Pulled]") -> None:
        while True:
            try:
                id = waiting.popleft()
            except IndexError:
                return
            try:
                results.put((id, list(self.grid.pull_messages([id]))))
            except Exception as error:
                results.put((id, error))

    def _read(self, id: str, pulled: list[Message] | Exception, open_ids: set[str]) -> list[Message]:
        if isinstance(pulled, httpx.HTTPError):  # the link itself is down: that is not the client's doing
            raise pulled
        if isinstance(pulled, Exception):
            log(WARNING, "lefi: a reply cannot be read and is left out: %s", plain(repr(pulled)))
            open_ids.discard(id)
            return []
        if pulled:
            open_ids.discard(id)
        return pulled[:1]

    def set_run(self, run: Run) -> None:
        self.grid.set_run(run)

    @property
    def run(self) -> Run:
        return self.grid.run

    def create_message(
        self, content: RecordDict, message_type: str, dst_node_id: int, group_id: str, ttl: float | None = None
    ) -> Message:
        return self.grid.create_message(content, message_type, dst_node_id, group_id, ttl)

    def get_node_ids(self) -> Iterable[int]:
        return self.grid.get_node_ids()

    def get_nodes(self) -> Iterable[NodeInfo]:
        return self.grid.get_nodes()

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        return self.grid.push_messages(messages)

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        return self.grid.pull_messages(message_ids)


def ask(grid: Grid, messages: list[Message], patience: float, after_first: float) -> list[Message]:
    """Queries and their answers. Engines may take minutes to start; once one client answers, the others should, too."""
    if isinstance(grid, Post):
        return grid.exchange(messages, patience, after_first)
    return list(grid.send_and_receive(messages, timeout=patience))


def longest(grid: Grid, deadline: float, grace: float | None) -> float:
    """Seconds after which an update is late. In simulation clients wait for this machine's cores."""
    simulated = grid.in_bulk if isinstance(grid, Post) else type(grid).__name__ == "InMemoryGrid"
    if grace is None and simulated:
        return float("inf")
    return deadline + (GRACE if grace is None else grace)
