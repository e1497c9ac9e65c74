"""What weighing updates costs in a job of Flower: 20 clients train digits, one after the other, in this process.

The messages, the ledger, the checkpoints and the escrow are those of a real job; there is no network between.
"""

import logging
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import FedAvg
from torch.nn.functional import cross_entropy

import lefi
from benchmarks.trust_plain import State, trained
from lefi.flower import Client, Incentive, LocalGrid, Posted, Watch
from lefi.flower.watch import Watcher
from lefi.profiling.cheats import Job
from lefi.trust import Trust

WARM = 2  # first rounds: greetings, compilation, and what hearing draws once
Seconds = tuple[float, float]  # wall time, CPU time


def now() -> Seconds:
    return time.perf_counter(), time.process_time()


def since(before: Seconds) -> Seconds:
    after = now()
    return after[0] - before[0], after[1] - before[1]


def kept(method: Any, seconds: list[Seconds]) -> Any:
    """The method, and what each call took."""

    def timed(*given: Any) -> Any:
        before = now()
        found = method(*given)
        seconds.append(since(before))
        return found

    return timed


def app_of(job: Job) -> ClientApp:
    """Clients that own and claim what those of the job do."""
    app = ClientApp()

    def claimed(_: Posted, context: Context) -> float:
        return float(job.sizes[int(context.node_config["partition-id"])]) / 1000

    client = Client(app, claimed, samples=lambda context: int(job.sizes[int(context.node_config["partition-id"])]))

    @app.train(mods=[client.mod])
    def step(message: Message, context: Context) -> Message:
        own = job.own[int(context.node_config["partition-id"])]
        used = own[client.indices(len(own), message, context)]
        state = trained(job, _state(message.content.array_records["arrays"]), used)
        metrics = MetricRecord({"num-examples": len(used)})
        return Message(RecordDict({"arrays": ArrayRecord(state), "metrics": metrics}), reply_to=message)

    return app


def watch_of(job: Job) -> Watch:
    """Validation data and training of the server are those of the job."""
    task, rows = job.trainer.task, torch.from_numpy(job.validation)
    images, labels = task.scale(task.images[rows]), task.labels[rows]

    @torch.no_grad()
    def losses(arrays: ArrayRecord) -> list[float]:
        scores = torch.func.functional_call(task.network, _state(arrays), (images,))
        each = cross_entropy(scores, labels, reduction="none")
        return [float(each[labels == one].mean()) for one in torch.unique(labels).tolist()]

    def own(arrays: ArrayRecord) -> ArrayRecord:
        return ArrayRecord(trained(job, _state(arrays), job.validation))

    return Watch("digits", losses=losses, own=own)


def _state(arrays: ArrayRecord) -> State:
    return dict(arrays.to_torch_state_dict())


def measured(job: Job, rounds: int) -> dict[str, list[float]]:
    """Wall and CPU time of the mean round, of hearing in it, and of all that watching takes: tests and own training."""
    logging.getLogger("flwr").setLevel(logging.ERROR)
    hearing, watching = list[Seconds](), list[Seconds]()
    heard, judged = patch.object(Trust, "hear", kept(Trust.hear, hearing)), kept(Watcher.judge, watching)
    with tempfile.TemporaryDirectory() as folder, heard, patch.object(Watcher, "judge", judged):
        whole = list(islice(_played(job, Path(folder)), rounds))
    found = {"round": whole, "hearing": hearing, "watching": watching}
    assert all(len(each) == rounds for each in found.values())
    return {name: np.mean(each[WARM:], axis=0).tolist() for name, each in found.items()}


def _played(job: Job, folder: Path) -> Iterator[Seconds]:
    """Seconds of each round."""
    clients = job.fleet.clients
    terms = lefi.Terms(budget=0.5 * clients, accuracy=lefi.accuracy("digits"), size_high=0.2)
    strategy = FedAvg(fraction_evaluate=0.0, min_train_nodes=clients, min_available_nodes=clients)
    incentive = Incentive(
        strategy,
        "uniform",
        terms=terms,
        ledger=folder / "ledger.db",
        checkpoints=folder / "models",
        trust=watch_of(job),
    )
    grid = LocalGrid(app_of(job), clients)
    arrays = ArrayRecord({name: values[0] for name, values in job.weights.items()})
    for round in count(1):
        before = now()
        messages = incentive.configure_train(round, arrays, ConfigRecord(), grid)
        new, _ = incentive.aggregate_train(round, grid.send_and_receive(messages))
        assert new is not None
        arrays = new
        yield since(before)
