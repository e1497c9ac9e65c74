"""A tiny Flower job for the tests: least squares on made-up data, in NumPy, with clients of different prices."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import FedAvg, Strategy

import lefi
from lefi.draws import key, uniform
from lefi.flower import Client, Incentive, Ledger, LocalGrid, Posted, best_size, unit_cost
from lefi.ledger.entries import Row
from lefi.world.client import Means
from lefi.world.client import best_size as best_sizes

CLIENTS = 6
SAMPLES = 4000  # that each client has
TRUTH = np.array([1.0, -2.0, 0.5])
TERMS = lefi.Terms(budget=3.0, accuracy=lefi.accuracy("paper"), size_high=5.0)


COSTS = {"cost_low": 0.02, "cost_high": 0.1}  # what a thousand samples cost these clients [USD]
SETTINGS: dict[str, dict[str, Any]] = {"contract": COSTS, "contest": COSTS}


def price(partition: int) -> float:
    return float(6e-4 * (0.5 + 1.5 * uniform(key(7, "toy"), np.array([partition]))[0]))


def selfish(posted: Posted, context: Context) -> float:
    return best_size(posted, price=price(int(context.node_config["partition-id"])), speed=28.9, cost=lefi.cost("paper"))


def bid(posted: Posted, context: Context) -> float:
    return unit_cost(posted, price=price(int(context.node_config["partition-id"])), speed=28.9, cost=lefi.cost("paper"))


def knowing(posted: Posted, context: Context) -> float:
    """As `selfish`, but knows what the others' work costs them: in a pool that decides."""
    offer, n = posted.offer, len(posted.offer)
    if n == 1:
        return selfish(posted, context)
    prices, bounds = np.array([price(i) for i in range(n)]), (posted.deadline, posted.size_low, posted.size_high)
    means = Means(prices, np.full(n, 28.9), lefi.cost("paper"), *bounds)
    return float(best_sizes(offer, means)[int(context.node_config["partition-id"])])


@cache
def data(partition: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([3, partition])
    x = rng.normal(size=(SAMPLES, 3))
    return x, x @ TRUTH + 0.1 * rng.normal(size=SAMPLES)


def app(
    rule: Callable[[Posted, Context], float] = selfish,
    claim: Callable[[int, int, int], Any] | None = None,
    mods: list[Any] | None = None,
    receipts: Any = None,
) -> ClientApp:
    """The client app; `claim(partition, round, honest)` overrules what is claimed."""
    result = ClientApp()
    client = Client(result, rule, samples=lambda context: SAMPLES, bid=bid, receipts=receipts)

    @result.train(mods=[client.mod, *(mods or [])])
    def train(message: Message, context: Context) -> Message:
        partition = int(context.node_config["partition-id"])
        x, y = data(partition)
        rows = client.indices(len(x), message, context)
        w = message.content.array_records["arrays"]["w"].numpy()
        w = w - 0.5 * x[rows].T @ (x[rows] @ w - y[rows]) / len(rows)
        number: Any = len(rows)
        if claim:
            round: Any = message.content["config"]["server-round"]
            number = claim(partition, int(round), number)
        content = RecordDict({"arrays": ArrayRecord({"w": Array(w)})})
        content["metrics"] = MetricRecord({"num-examples": number} if number is not None else {"other": 1})
        return Message(content, reply_to=message)

    return result


def model() -> ArrayRecord:
    return ArrayRecord({"w": Array(np.zeros(3))})


def score(arrays: ArrayRecord) -> float:
    """Stands for a measured accuracy: 1 at the truth."""
    return float(np.exp(-np.abs(arrays["w"].numpy() - TRUTH).sum()))


def fedavg(**settings: Any) -> FedAvg:
    return FedAvg(fraction_evaluate=0.0, min_train_nodes=1, min_available_nodes=1, **settings)


def offered(row: Row) -> dict[str, Any]:
    """The offer of a row: its kind and columns."""
    result: dict[str, Any] = json.loads(row["offer"])
    return result


def paying(mechanism: str) -> lefi.Terms:
    """The terms, with the way of paying of that mechanism; a menu must not ask for more than clients have."""
    payment = lefi.registered()[mechanism].payment
    return replace(TERMS, payment=payment, size_high=TERMS.size_high if payment == "curve" else SAMPLES / 1000)


def run(
    ledger: Ledger | Path | str,
    *,
    rounds: int = 5,
    mechanism: str = "lefi",
    strategy: Strategy | None = None,
    clients: ClientApp | None = None,
    faults: Any = None,
    **settings: Any,
) -> tuple[Incentive, Any]:
    """Play a job in process; what the ledger holds already is not played again."""
    grid = LocalGrid(clients or app(), CLIENTS, faults=faults)
    terms = settings.pop("terms", None) or paying(mechanism)
    incentive = Incentive(
        strategy or fedavg(),
        lefi.make(mechanism, terms, seed=1, **SETTINGS.get(mechanism, {})),
        terms=terms,
        ledger=ledger,
        **settings,
    )
    return incentive, incentive.start(grid, model(), num_rounds=rounds)


def ends(table: pl.DataFrame) -> list[int]:
    """Rounds after which a server had played all that it was asked for."""
    return table.filter(pl.col("kind") == "end")["round"].to_list()


def but_for_ends(table: pl.DataFrame) -> pl.DataFrame:
    """The other rows in their order; numbers of rows count the ends."""
    return table.filter(pl.col("kind") != "end").drop("seq")
