"""The server: FedAvg, with lefi around it, and plots when the job is done."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from flwr.app import ArrayRecord, Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

import lefi
from lefi.flower import Incentive, Ledger
from paid.data import images
from paid.net import Net, accuracy
from paid.plots import draw

app = ServerApp()


def gain(size_high: float) -> lefi.QuadraticAccuracy:
    """The paper's accuracy model with its 10 thousand samples shrunk to `size_high`: a guess that ranks, no more.

    `lefi profile` measures the real one.
    """
    paper, s = lefi.accuracy("paper"), 10 / size_high
    assert isinstance(paper, lefi.QuadraticAccuracy)
    return replace(paper, a=paper.a * s**2, c=paper.c * s, d=paper.d * s)


@app.main()
def main(grid: Grid, context: Context) -> None:
    config: dict[str, Any] = dict(context.run_config)
    folder = Path(config["folder"]).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    data = images(config["data"])
    net = Net(data.x.shape[1], data.x.shape[2], seed=int(config["seed"]))

    def measure(arrays: ArrayRecord) -> float:
        net.load_state_dict(arrays.to_torch_state_dict())
        return accuracy(net, data.test_x, data.test_y)

    nodes = int(config["min-nodes"]) or int(config["num-clients"])
    terms = lefi.Terms(
        budget=float(config["budget"]),
        accuracy=gain(float(config["size-high"])),
        size_high=float(config["size-high"]),
        deadline=float(config["deadline"]),
        total=float(config["total"]) or None,
        payment=lefi.registered()[config["mechanism"]].payment,
    )
    incentive = Incentive(
        FedAvg(fraction_evaluate=0.0, min_train_nodes=nodes, min_available_nodes=nodes),
        config["mechanism"],
        terms=terms,
        seed=int(config["seed"]),
        ledger=Ledger(config["ledger"] or folder / "ledger.db", job=config["job"]),
        rate=float(config["rate"]),
        identity=config["identity"],
        two_phase=bool(config["two-phase"]),
        measure=measure,
        checkpoints=folder / "checkpoints" / config["job"],
        patience=float(config["patience"]),
    )
    start = ArrayRecord(net.state_dict())
    incentive.start(grid, start, num_rounds=int(config["num-server-rounds"]), timeout=float(config["timeout"]))
    draw(list(incentive.ledger.receipts()), terms, incentive.mechanism, folder / f"{config['job']}.png")
    incentive.ledger.close()
