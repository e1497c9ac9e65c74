"""The client's side: from an offer to the number of samples, in three lines of an existing ClientApp."""

from collections.abc import Callable
from typing import Any

import numpy as np
from flwr.app import ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.clientapp.typing import ClientAppCallable

from lefi.arrays import IntArray
from lefi.draws import generator
from lefi.errors import InputError
from lefi.flower.wire import CLAIM, HELLO, OFFER, Posted, config_of, read_offer, to_samples
from lefi.models import LinearCost
from lefi.models import cost as paper_cost
from lefi.world.client import Means
from lefi.world.client import best_size as best_sizes

Rule = Callable[[Posted, Context], float]


def best_size(posted: Posted, *, price: float, speed: float, cost: LinearCost) -> float:
    """Thousand samples that leave this client the most money (problem P0)."""
    means = Means(np.array([price]), np.array([speed]), cost, posted.deadline, posted.size_low, posted.size_high)
    return float(best_sizes(posted.offer, means)[0])


def selfish(*, price: float, speed: float, cost: LinearCost | None = None) -> Rule:
    """The rule of a client with this price [USD per TFLOP] and speed [TFLOPS]; `cost` is the paper's by default."""
    model = cost or paper_cost("paper")
    return lambda posted, _: best_size(posted, price=price, speed=speed, cost=model)


class Client:
    """Answers offers for a ClientApp: says who it is, chooses a size by `rule`, and takes that much data.

    `samples` tells how many the client has, for pledges in two-phase rounds; `iid` how mixed its labels are (1 = as in
    the whole fleet). Give both as functions of Flower's Context where one app serves many clients.
    """

    def __init__(
        self,
        app: ClientApp,
        rule: Rule,
        *,
        samples: Callable[[Context], int] | None = None,
        iid: float | Callable[[Context], float] = 1.0,
    ) -> None:
        self.rule, self.samples, self.iid = rule, samples, iid
        self._last: tuple[Message, Posted] | None = None
        app.query(HELLO)(self._hello)
        app.query(OFFER)(self._pledge)

    def mod(self, message: Message, context: Context, call_next: ClientAppCallable) -> Message:
        """For `@app.train(mods=[client.mod])`: a client that chooses 0 answers at once and does not train."""
        if self.number(message, context) > 0:
            return call_next(message, context)
        content = RecordDict(dict(message.content.array_records))
        content["metrics"] = MetricRecord({CLAIM: 0})
        return Message(content, reply_to=message)

    def number(self, message: Message, context: Context, available: int | None = None) -> int:
        """Samples to train on: what the rule says, within the offer's limit and what is there."""
        posted = self._read(message)
        size = min(self.rule(posted, context), float(posted.offer.limit[0]), posted.size_high)
        have = available if available is not None else self.samples(context) if self.samples else None
        chosen = to_samples(size)
        return chosen if have is None else min(chosen, have)

    def indices(self, available: int, message: Message, context: Context) -> IntArray:
        """Which of the available samples to use: a fresh draw each round, the same on every engine."""
        chosen = self.number(message, context, available)
        order = generator(0, "subsample", _round(message)).permutation(available)
        return np.sort(order[:chosen])

    def subsample(self, data: Any, message: Message, context: Context) -> Any:
        """As much of `data` as was chosen; `data` is a NumPy array, or a torch Dataset or DataLoader."""
        if isinstance(data, np.ndarray):
            return data[self.indices(len(data), message, context)]
        from torch.utils.data import DataLoader, RandomSampler, Subset

        if not isinstance(data, DataLoader):
            return Subset(data, self.indices(len(data), message, context).tolist())
        return DataLoader(
            self.subsample(data.dataset, message, context),
            batch_size=data.batch_size,
            shuffle=isinstance(data.sampler, RandomSampler),
            num_workers=data.num_workers,
            collate_fn=data.collate_fn,
            drop_last=data.drop_last,
            generator=data.generator,
        )

    def _read(self, message: Message) -> Posted:
        """The offer, read once: a train function asks more than once."""
        if self._last is None or self._last[0] is not message:
            self._last = (message, read_offer(message))
        return self._last[1]

    def _hello(self, message: Message, context: Context) -> Message:
        iid = self.iid(context) if callable(self.iid) else self.iid
        record = ConfigRecord({"client-id": name_of(context), "iid": float(iid)})
        return Message(RecordDict({"client": record}), reply_to=message)

    def _pledge(self, message: Message, context: Context) -> Message:
        return Message(RecordDict({"pledge": MetricRecord({CLAIM: self.number(message, context)})}), reply_to=message)


def name_of(context: Context) -> str:
    """The name under which the client has its account: `client-id` of the node config, or its partition."""
    config = context.node_config
    if "client-id" in config:
        return str(config["client-id"])
    if "partition-id" in config:
        return f"client-{config['partition-id']}"
    raise InputError("node config", dict(config), "one with client-id or partition-id")


def _round(message: Message) -> int:
    return int(config_of(message).get("server-round", 0))  # type: ignore[arg-type]
