"""Partition 0 is honest, 1 sends another bad update in each round, 2 paints the terminal instead of saying its name."""

from typing import Any

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from lefi.flower.wire import config_of
from tests.flower import toy
from tests.hostile.attacks import CLAIMS, HELLOS, UPDATES

BY_ROUND = (UPDATES["header bomb"], CLAIMS["claims nan"], UPDATES["pickle"])


class Loud(ClientApp):
    """The toy's app, but for what the attackers send."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = toy.app()

    def __call__(self, message: Message, context: Context) -> Message:
        reply = self.inner(message=message, context=context)
        partition, kind = int(context.node_config["partition-id"]), message.metadata.message_type
        if partition == 1 and kind == "train":
            round: Any = config_of(message)["server-round"]
            return BY_ROUND[int(round) - 1](message, reply)[0]
        if partition == 2 and kind == "query.hello":
            return HELLOS["id terminal escape"](message, reply)[0]
        return reply


app = Loud()
