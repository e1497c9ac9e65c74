"""Who is behind a node. Flower's node ids change with every restart; accounts must not.

Two readings: `client-id` takes the name that the node states (node config `client-id`, or `partition-id`), which is fit
for trusted nodes; `key` takes the fingerprint of the node's public key, which SuperNode authentication has verified.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from logging import INFO, WARNING
from typing import Literal

from flwr.app import Message, RecordDict
from flwr.common import log
from flwr.serverapp import Grid

from lefi.flower.wire import HELLO

Reading = Literal["client-id", "key"]


@dataclass(frozen=True)
class Caller:
    """A client that can be reached this round."""

    node: int
    iid: float


class Directory:
    """Names behind node ids; every node is asked once."""

    def __init__(self, reading: Reading, timeout: float) -> None:
        self.reading, self.timeout = reading, timeout
        self.names: dict[int, str] = {}
        self.callers: dict[str, Caller] = {}

    def present(self, grid: Grid, nodes: Iterable[int]) -> dict[str, Caller]:
        """The clients behind these nodes, by name. A node that does not say who it is gets no offer."""
        nodes = list(nodes)
        strangers = [node for node in nodes if node not in self.names]
        if strangers:
            self._greet(grid, strangers)
        here = set(nodes)
        return {name: caller for name, caller in sorted(self.callers.items()) if caller.node in here}

    def _greet(self, grid: Grid, strangers: list[int]) -> None:
        keys = self._keys(grid) if self.reading == "key" else {}
        messages = [Message(RecordDict(), node, f"query.{HELLO}") for node in strangers]
        replies = [reply for reply in grid.send_and_receive(messages, timeout=self.timeout) if _introduces(reply)]
        for reply in sorted(replies, key=lambda reply: reply.metadata.created_at):
            node = reply.metadata.src_node_id
            stated = reply.content.config_records["client"]
            name = keys.get(node) if self.reading == "key" else str(stated["client-id"])[:200]
            if name is None or node not in strangers:
                log(WARNING, "lefi: node %d has no public key and gets no offer", node)
                continue
            self._enter(name, Caller(node, min(max(float(stated["iid"]), 0.0), 1.0)))  # type: ignore[arg-type]
        if len(replies) < len(strangers):
            log(
                WARNING,
                "lefi: %d of %d new nodes did not say who they are",
                len(strangers) - len(replies),
                len(strangers),
            )

    def _enter(self, name: str, caller: Caller) -> None:
        """The node that spoke last has the account: after a restart the old node may still count as online."""
        if name in self.callers:
            log(INFO, "lefi: client %s is now node %d", name, caller.node)
        self.names[caller.node] = name
        self.callers[name] = caller

    def _keys(self, grid: Grid) -> dict[int, str]:
        return {
            node.node_id: f"key-{sha256(node.public_key).hexdigest()[:32]}"
            for node in grid.get_nodes()
            if node.public_key
        }


def _introduces(reply: Message) -> bool:
    return not reply.has_error() and {"client-id", "iid"} <= set(reply.content.config_records.get("client", {}))
