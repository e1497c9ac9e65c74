"""The server: FedAvg, with lefi around it, and plots when the job is done."""

from dataclasses import replace
from itertools import chain, count
from logging import INFO
from pathlib import Path
from typing import Any

from flwr.app import ArrayRecord, Context
from flwr.common import log
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

import lefi
from lefi.flower import Incentive, Ledger
from lefi.ledger import client_id
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
    place = config["ledger"] or folder / "ledger.db"
    with Ledger(place) as ledger:
        job = free(ledger, config["job"]) if config["anew"] else config["job"]
    incentive = Incentive(
        FedAvg(fraction_evaluate=0.0, min_train_nodes=nodes, min_available_nodes=nodes),
        config["mechanism"],
        terms=terms,
        seed=int(config["seed"]),
        ledger=Ledger(place, job=job),
        rate=float(config["rate"]),
        identity=config["identity"],
        two_phase=bool(config["two-phase"]),
        measure=measure,
        checkpoints=folder / "checkpoints" / job,
        patience=float(config["patience"]),
    )
    start = ArrayRecord(net.state_dict())
    incentive.start(grid, start, num_rounds=int(config["num-server-rounds"]), timeout=float(config["timeout"]))
    names = {client_id(name): name for name in incentive.ledger.balances()}
    title, plot = f"Job {job}, paid by {config['mechanism']}", folder / f"{job}.png"
    draw(list(incentive.ledger.receipts()), terms, incentive.mechanism, names, title, plot)
    log(INFO, "paid: the ledger is in %s, the plot in %s", place, plot)
    incentive.ledger.close()


def free(ledger: Ledger, job: str) -> str:
    """The job's name, or with a number where there is such a job already: job-2, job-3."""
    taken = set(ledger.jobs())
    return next(name for name in chain([job], (f"{job}-{place}" for place in count(2))) if name not in taken)
