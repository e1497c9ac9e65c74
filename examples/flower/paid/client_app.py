"""The client: private price and speed, its own part of the data, and as much training as the offer is worth."""

from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from numpy.typing import NDArray

import lefi
from lefi.flower import Client, Posted, best_size, name_of, unit_cost
from paid.data import iid, images, split

app = ClientApp()


def partition(context: Context) -> int:
    return int(context.node_config["partition-id"])


def rows(context: Context) -> NDArray[np.int64]:
    config: dict[str, Any] = dict(context.run_config)
    return split(config["data"], int(config["num-clients"]), float(config["concentration"]))[partition(context)]


def means(context: Context) -> dict[str, Any]:
    """Price and speed stay here: a node config may state them, else they are drawn."""
    draw = np.random.default_rng([1, partition(context)])
    price, speed = 0.0015 * draw.uniform(0.5, 2), draw.uniform(0.5, 5)
    own: dict[str, Any] = {"price": price, "speed": speed, **context.node_config}
    return {"price": float(own["price"]), "speed": float(own["speed"]), "cost": lefi.cost("paper")}


def selfish(posted: Posted, context: Context) -> float:
    """What pays best."""
    return best_size(posted, **means(context))


client = Client(
    app,
    selfish,
    samples=lambda context: len(rows(context)),
    iid=lambda context: iid(str(context.run_config["data"]), rows(context)),
    bid=lambda posted, context: unit_cost(posted, **means(context)),
    receipts=lambda context: Path(str(context.run_config["folder"])).expanduser() / "receipts" / name_of(context),
)


@app.train(mods=[client.mod])
def train(message: Message, context: Context) -> Message:
    from paid import net as nets  # torch takes seconds to import, and queries do not need it

    data, mine = images(str(context.run_config["data"])), rows(context)
    used = mine[client.indices(len(mine), message, context)]
    net = nets.Net(data.x.shape[1], data.x.shape[2])
    net.load_state_dict(message.content.array_records["arrays"].to_torch_state_dict())
    round = int(message.content.config_records["config"]["server-round"])  # type: ignore[arg-type]
    loss = nets.train(net, data.x[used], data.y[used], int(context.run_config["local-epochs"]), seed=round)
    metrics = MetricRecord({"num-examples": len(used), "train-loss": loss})
    return Message(RecordDict({"arrays": ArrayRecord(net.state_dict()), "metrics": metrics}), reply_to=message)
