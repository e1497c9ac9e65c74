"""An in-process grid: the same ServerApp and ClientApp with no processes, no network and no sleeps.

Deterministic, and able to go wrong on request, which real engines do only when it suits them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from flwr.app import Context, Error, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid
from flwr.supercore.run import Run
from flwr.supercore.task_identity import TaskIdentity

from lefi.flower.wire import config_of

Fault = Literal["offline", "silent", "crash", "late", "slow", "twice"]
Value = bool | float | int | str
FIRST_NODE = 1000
UNAVAILABLE, RAISED = 5, 2  # Flower's error codes


class LocalGrid(Grid):
    """Runs a ClientApp in this process, one node after another.

    `faults` is asked before each message with (round, partition, message type); the round is 0 where the message has
    none. offline: Flower's error in the SuperLink's name; silent: no reply; crash: the client raises; late: the reply
    comes with the next batch of its kind; slow: the reply counts as later than any deadline; twice: it comes twice.
    `seconds` are those after which a reply came, by the message that it answers: 0 where nothing is said.

    >>> from flwr.clientapp import ClientApp
    >>> from lefi.flower import LocalGrid
    >>> grid = LocalGrid(ClientApp(), nodes=3)
    >>> len(list(grid.get_node_ids()))
    3
    """

    def __init__(
        self,
        app: ClientApp,
        nodes: int,
        run_config: Mapping[str, Value] | None = None,
        node_config: Callable[[int], Mapping[str, Value]] | None = None,
        faults: Callable[[int, int, str], Fault | None] | None = None,
    ) -> None:
        # Flower's Message() reads run and node from here; engines set it before they start an app.
        TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1
        self.app, self.faults = app, faults
        self.contexts = {
            FIRST_NODE + i: Context(
                run_id=1,
                node_id=FIRST_NODE + i,
                node_config={"partition-id": i, "num-partitions": nodes, **(node_config(i) if node_config else {})},
                state=RecordDict(),
                run_config=dict(run_config or {}),
            )
            for i in range(nodes)
        }
        self.sent = 0
        self.seconds: dict[str, float] = {}
        self._replies: dict[str, list[Message]] = {}
        self._late: list[Message] = []
        self._run: Run | None = None

    def set_run(self, run: Run) -> None:
        self._run = run

    @property
    def run(self) -> Run:
        if self._run is None:
            raise RuntimeError("this grid has no run")
        return self._run

    def create_message(
        self, content: RecordDict, message_type: str, dst_node_id: int, group_id: str, ttl: float | None = None
    ) -> Message:
        return Message(content, dst_node_id, message_type, ttl=ttl, group_id=group_id)

    def get_node_ids(self) -> Iterable[int]:
        return list(self.contexts)

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        ids = []
        for message in messages:
            self.sent += 1
            ids.append(f"message-{self.sent}")
            message.metadata.__dict__["_message_id"] = ids[-1]
            self._replies[ids[-1]] = self._deliver(message)
        return ids

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        return [reply for id in message_ids for reply in self._replies.pop(id, [])]

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        messages = list(messages)
        self.seconds = {}
        kinds = {message.metadata.message_type for message in messages}
        late = [reply for reply in self._late if reply.metadata.message_type in kinds]
        self._late = [reply for reply in self._late if reply not in late]
        return late + list(self.pull_messages(self.push_messages(messages)))

    def _deliver(self, message: Message) -> list[Message]:
        context = self.contexts[message.metadata.dst_node_id]
        partition = message.metadata.dst_node_id - FIRST_NODE
        fault = self.faults(_round(message), partition, message.metadata.message_type) if self.faults else None
        if fault == "silent":
            return []
        if fault == "offline":
            return [_unavailable(message)]
        try:
            if fault == "crash":
                raise RuntimeError("crash on request")
            reply = self.app(message=message, context=context)
        except Exception as error:  # what an engine does: the round goes on
            return [Message(Error(RAISED, repr(error)), reply_to=message)]
        if fault == "late":
            self._late.append(reply)
            return []
        if fault == "slow":
            self.seconds[message.metadata.message_id] = float("inf")
        return [reply, reply] if fault == "twice" else [reply]


def _unavailable(message: Message) -> Message:
    """As the SuperLink answers for a node that is gone: in its own name, not the node's."""
    reply = Message(Error(UNAVAILABLE, "node unavailable"), reply_to=message)
    reply.metadata.__dict__["_src_node_id"] = TaskIdentity.node_id
    return reply


def _round(message: Message) -> int:
    return int(config_of(message).get("server-round", 0))  # type: ignore[arg-type]
