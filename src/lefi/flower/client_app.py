"""The client's side: from an offer to the number of samples, in three lines of an existing ClientApp."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.clientapp.typing import ClientAppCallable

from lefi.arrays import IntArray
from lefi.books.samples import SAMPLES, to_samples
from lefi.draws import generator
from lefi.errors import InputError
from lefi.flower.wire import BID, CLAIM, HELLO, OFFER, RECEIPT, Posted, config_of, read_offer
from lefi.ledger.private import write_private
from lefi.ledger.proofs import read_proof
from lefi.messages import Roster
from lefi.models import LinearCost
from lefi.models import cost as paper_cost
from lefi.offers import AuctionCall
from lefi.world.client import Means
from lefi.world.client import best_size as best_sizes
from lefi.world.fleet import RationalFleet

Rule = Callable[[Posted, Context], float]
HALVINGS = 60  # of a range of sizes: to the last bit


def best_size(posted: Posted, *, price: float, speed: float, cost: LinearCost) -> float:
    """Thousand samples that leave this client the most money (problem P0).

    Where pay hangs on the others (a pool, a contest), it takes them to be like itself. What a cap would leave unpaid is
    not delivered.

    >>> from lefi.flower import Posted, best_size
    >>> posted = Posted(lefi.PriceOffer([0.1], [3.0]), size_low=0.0, size_high=10.0, deadline=60.0)
    >>> best_size(posted, price=6e-4, speed=28.9, cost=lefi.cost("paper"))
    3.0
    """
    clients = len(posted.offer)
    means = Means(
        np.full(clients, price), np.full(clients, speed), cost, posted.deadline, posted.size_low, posted.size_high
    )
    size = float(best_sizes(posted.offer, means)[0])
    return size if posted.most is None or clients > 1 else _paid_in_full(posted, size, posted.most)


def _paid_in_full(posted: Posted, size: float, most: float) -> float:
    """The size, or less of it where less earns all that is left to this client."""
    low, high = posted.size_low, size
    if float(posted.offer.payment(np.array([high]))[0]) <= most:
        return size
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(posted.offer.payment(np.array([middle]))[0]) < most else (low, middle)
    return high


@dataclass(frozen=True)
class Selfish:
    """The rule of a client that keeps as much money as it can, and bids what its work costs it."""

    price: float
    speed: float
    cost: LinearCost

    def __call__(self, posted: Posted, context: Context) -> float:
        return best_size(posted, price=self.price, speed=self.speed, cost=self.cost)

    def bid(self, posted: Posted, context: Context) -> float:
        return unit_cost(posted, price=self.price, speed=self.speed, cost=self.cost)


def unit_cost(posted: Posted, *, price: float, speed: float, cost: LinearCost) -> float:
    """What a thousand samples cost this client when it delivers all that is called for: the best bid. NaN: no bid.

    >>> from lefi.flower import Posted, unit_cost
    >>> call = lefi.AuctionCall(1.0, [1.0], [5.0], np.array([0]))
    >>> posted = Posted(call, size_low=0.0, size_high=10.0, deadline=60.0)
    >>> round(unit_cost(posted, price=6e-4, speed=28.9, cost=lefi.cost("paper")), 4)
    0.0475
    """
    one = np.ones(1)
    bounds = (posted.deadline, posted.size_low, posted.size_high)
    alone = RationalFleet(Roster(np.zeros(1, dtype=np.int64), one, one), price * one, speed * one, cost, *bounds)
    assert isinstance(posted.offer, AuctionCall)
    return float(alone.bid(posted.offer, None)[0])


def selfish(*, price: float, speed: float, cost: LinearCost | None = None) -> Selfish:
    """The rule of a client with this price [USD per TFLOP] and speed [TFLOPS]; `cost` is the paper's by default.

    >>> from lefi.flower import selfish
    >>> rule = selfish(price=6e-4, speed=28.9)
    >>> rule.cost
    LinearCost(p=79.1259, q=17.6219, upload=0.0)
    """
    return Selfish(price, speed, cost or paper_cost("paper"))


class Client:
    """Answers offers for a ClientApp: says who it is, chooses a size by `rule`, and takes that much data.

    samples   how many the client has, for pledges in two-phase rounds
    iid       how mixed its labels are (1 = as in the whole fleet)
    bid       what it asks for a thousand samples where there is an auction; by default the rule's own `bid`
    receipts  a folder for the signed receipts of its payments, see `lefi receipt verify`
    Give functions of Flower's Context where one app serves many clients.

    >>> from flwr.clientapp import ClientApp
    >>> from lefi.flower import Client, selfish
    >>> app = ClientApp()
    >>> client = Client(app, selfish(price=6e-4, speed=28.9), samples=lambda context: 5000)
    >>> @app.train(mods=[client.mod])
    ... def train(message, context):
    ...     rows = client.indices(5000, message, context)
    ...
    """

    def __init__(
        self,
        app: ClientApp,
        rule: Rule,
        *,
        samples: Callable[[Context], int] | None = None,
        iid: float | Callable[[Context], float] = 1.0,
        bid: Rule | None = None,
        receipts: Path | str | Callable[[Context], Path | str] | None = None,
    ) -> None:
        self.rule, self.samples, self.iid, self.receipts = rule, samples, iid, receipts
        self.bid: Rule | None = bid or getattr(rule, "bid", None)
        self._last: tuple[Message, Posted] | None = None
        app.query(HELLO)(self._hello)
        app.query(OFFER)(self._pledge)
        app.query(BID)(self._bid)

    def mod(self, message: Message, context: Context, call_next: ClientAppCallable) -> Message:
        """For `@app.train(mods=[client.mod])`: a client that chooses 0 answers at once and does not train."""
        self._keep_receipt(message, context)
        if self.number(message, context) > 0:
            return call_next(message, context)
        content = RecordDict(dict(message.content.array_records))
        content["metrics"] = MetricRecord({CLAIM: 0})
        return Message(content, reply_to=message)

    def number(self, message: Message, context: Context, available: int | None = None) -> int:
        """Samples to train on: what the rule says, within the offer's limit and what is there."""
        posted = self._read(message)
        have = available if available is not None else self.samples(context) if self.samples else None
        if have is not None and have < posted.size_high * SAMPLES:  # the rule must not promise what is not there
            posted = replace(posted, size_high=have / SAMPLES)
        size = min(self.rule(posted, context), float(posted.offer.limit[0]), posted.size_high)
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

    def _bid(self, message: Message, context: Context) -> Message:
        bid = float(self.bid(self._read(message), context)) if self.bid else float("nan")
        return Message(RecordDict({"bid": MetricRecord({"bid": bid})}), reply_to=message)

    def _keep_receipt(self, message: Message, context: Context) -> None:
        text = config_of(message).get(RECEIPT)
        if self.receipts is not None and isinstance(text, str):
            save_receipt(self.receipts(context) if callable(self.receipts) else self.receipts, text)

    def _pledge(self, message: Message, context: Context) -> Message:
        self._keep_receipt(message, context)
        return Message(RecordDict({"pledge": MetricRecord({CLAIM: self.number(message, context)})}), reply_to=message)


def save_receipt(folder: Path | str, text: str) -> Path:
    """Keep a receipt as a file of its own, named after the size of the log that it is about."""
    head = read_proof(text)["head"]
    place = Path(folder) / f"receipt-{int(head['size']):09d}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        write_private(place, text.encode())
    return place


def name_of(context: Context) -> str:
    """The name under which the client has its account: `client-id` of the node config, or its partition.

    >>> from types import SimpleNamespace
    >>> from lefi.flower import name_of
    >>> name_of(SimpleNamespace(node_config={"partition-id": 3}))
    'client-3'
    """
    config = context.node_config
    if "client-id" in config:
        return str(config["client-id"])
    if "partition-id" in config:
        return f"client-{config['partition-id']}"
    raise InputError("node config", dict(config), "one with client-id or partition-id")


def _round(message: Message) -> int:
    return int(config_of(message).get("server-round", 0))  # type: ignore[arg-type]
