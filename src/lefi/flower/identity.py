"""Who is behind a node. Flower's node ids change with every restart; accounts must not.

Two readings: `client-id` takes the name that the node states (node config `client-id`, or `partition-id`), which is fit
for trusted nodes; `key` takes the fingerprint of the node's public key, which SuperNode authentication has verified.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from logging import INFO, WARNING
from typing import Literal, get_args

from flwr.app import Message, RecordDict
from flwr.common import log
from flwr.serverapp import Grid

from lefi.arrays import number
from lefi.books.verdicts import MISSING, NO_KEY, TAKEN
from lefi.errors import InputError
from lefi.flower.checks import Introduction, introduction
from lefi.flower.post import ask
from lefi.flower.wire import HELLO

Reading = Literal["client-id", "key"]
Stated = float | tuple[float, float] | Callable[[str], float]

FIRST_PAUSE, LONGEST_PAUSE = (
    2,
    64,
)  # rounds until a node that did not introduce itself is asked again; doubled each time


@dataclass(frozen=True)
class Caller:
    """A client that can be reached this round."""

    node: int
    iid: float


class Directory:
    """Accounts behind node ids. A node is asked who it is until it says so, at longer and longer intervals.

    patience    seconds to wait for the first answer
    greeting    seconds to wait for the others
    iid         what counts of what clients say of their label mix: a range, or the server's own knowledge of it
    """

    def __init__(self, reading: Reading, patience: float, greeting: float, iid: Stated = (0.0, 1.0)) -> None:
        if reading not in get_args(Reading):
            raise InputError("identity", reading, f"one of {', '.join(get_args(Reading))}")
        self.reading, self.patience, self.greeting, self.iid = reading, patience, greeting, iid
        if isinstance(iid, tuple):
            number("iid", iid[0], low=0, high=1), number("iid", iid[1], low=iid[0], high=1)
        elif not callable(iid):
            number("iid", iid, low=0, high=1)
        self.names: dict[int, str] = {}  # of the nodes that have had an account
        self.holders: dict[str, int] = {}
        self.first: dict[str, float] = {}  # iid as each client stated it first: it cannot be tried out
        self.refused: dict[int, str] = {}  # nodes without an account, and why
        self._stated: dict[int, Introduction] = {}
        self._asked_again: dict[int, tuple[int, int]] = {}  # node -> (round, pause)

    def present(self, grid: Grid, nodes: Iterable[int], round: int = 0) -> dict[str, Caller]:
        """The clients behind these nodes, by name. A node that does not say who it is gets no offer."""
        nodes = list(nodes)
        strangers = [node for node in nodes if node not in self._stated and self._due(node, round)]
        if strangers:
            self._greet(grid, strangers, round)
        claims: dict[str, list[int]] = {}
        for node in nodes:
            if node in self._stated and self.holders.get(self._stated[node].name) != node:
                claims.setdefault(self._stated[node].name, []).append(node)
        if claims:
            self._decide(grid, claims)
        here = set(nodes)
        held = sorted((name, node) for name, node in self.holders.items() if node in here)
        return {name: Caller(node, self._iid(name, self._stated[node].iid)) for name, node in held}

    def _due(self, node: int, round: int) -> bool:
        return self._asked_again.get(node, (0, 0))[0] <= round

    def _greet(self, grid: Grid, strangers: list[int], round: int) -> None:
        keys = _keys(grid) if self.reading == "key" else {}
        sent = {node: Message(RecordDict(), node, f"query.{HELLO}") for node in strangers}
        heard: dict[int, Introduction | str] = {}
        for reply in ask(grid, list(sent.values()), self.patience, self.greeting):
            node = reply.metadata.src_node_id
            if node in sent and reply.metadata.reply_to_message_id == sent[node].metadata.message_id:
                heard.setdefault(node, introduction(reply, named=self.reading == "client-id"))
        for node in strangers:
            said = heard.get(node, MISSING)
            if isinstance(said, Introduction) and self.reading == "key":
                said = Introduction(_fingerprint(keys[node]), said.iid) if node in keys else NO_KEY
            if isinstance(said, Introduction):
                self._stated[node] = said
                self._asked_again.pop(node, None)
            else:
                self._refuse(node, said)
                pause = min(2 * self._asked_again.get(node, (0, FIRST_PAUSE // 2))[1], LONGEST_PAUSE)
                self._asked_again[node] = (round + pause, pause)

    def _decide(self, grid: Grid, claims: Mapping[str, list[int]]) -> None:
        """Accounts go to nodes whose name nobody else holds; a take-over needs the same key or a dead predecessor."""
        held = {name for name in claims if name in self.holders}
        alive = set(grid.get_node_ids()) if held else set()
        keys = _keys(grid) if held and self.reading == "client-id" else {}
        for name, nodes in claims.items():
            holder = self.holders.get(name)
            if self.reading == "key":
                free = nodes[-1:]  # all of them have proved that the key is theirs
            elif holder in alive:
                free = [node for node in nodes if holder in keys and keys.get(node) == keys[holder]][-1:]
            else:
                free = nodes if len(nodes) == 1 else []
            for node in nodes:
                if node in free:
                    self._enter(name, node)
                else:
                    self._refuse(node, TAKEN, f" ({name})")

    def _enter(self, name: str, node: int) -> None:
        if name in self.holders:
            log(INFO, "lefi: client %s is now node %d", name, node)
        self.refused.pop(node, None)
        self.names[node] = name
        self.holders[name] = node

    def _refuse(self, node: int, verdict: str, more: str = "") -> None:
        if self.refused.get(node) != verdict:
            log(WARNING, "lefi: node %d gets no offer: %s%s", node, verdict, more)
        self.refused[node] = verdict

    def _iid(self, name: str, stated: float) -> float:
        """What counts of the stated label mix: the server's own number, or what was said first, within the range."""
        if callable(self.iid):
            return number(f"iid of {name}", self.iid(name), low=0, high=1)
        if not isinstance(self.iid, tuple):
            return float(self.iid)
        low, high = self.iid
        return self.first.setdefault(name, min(max(stated, low), high))


def _keys(grid: Grid) -> dict[int, bytes]:
    return {node.node_id: node.public_key for node in grid.get_nodes() if node.public_key}


def _fingerprint(key: bytes) -> str:
    return f"key-{sha256(key).hexdigest()[:32]}"
