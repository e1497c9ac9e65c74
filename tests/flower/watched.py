"""A job whose work is judged: softmax regression in NumPy, twelve clients, of which the first may do nothing.

The same training makes honest jobs for a reference, without Flower.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid
from flwr.serverapp.strategy import FedAvg

import lefi
from lefi.flower import Client, Incentive, LocalGrid, Posted, Watch
from lefi.trust import Heard, Record, Reference, calibrate
from lefi.trust.features import PAST, features
from lefi.trust.vectors import layout_of
from tests.flower import toy

CLIENTS, CLASSES, INPUTS = 12, 4, 6
SAMPLES = (60, 160)  # that a client trains on in a round
STEPS, RATE = 6, 0.3
TERMS = lefi.Terms(budget=3.0, accuracy=lefi.accuracy("paper"), size_high=0.2)
CENTRES = np.random.default_rng(5).normal(size=(CLASSES, INPUTS))
Model = list[np.ndarray]


@cache
def data(job: int, client: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Samples of one client; every client has its own mix of classes. Client -1 is the server's validation data."""
    rng = np.random.default_rng([job, client + 1])
    shares = np.full(CLASSES, 1 / CLASSES) if client < 0 else rng.dirichlet(np.full(CLASSES, 3.0))
    labels = rng.choice(CLASSES, count, p=shares)
    return CENTRES[labels] + 0.9 * rng.normal(size=(count, INPUTS)), labels


def scores(model: Model, x: np.ndarray) -> np.ndarray:
    logits = x @ model[0].T + model[1]
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def trained(model: Model, x: np.ndarray, labels: np.ndarray) -> Model:
    weights, bias = model
    for batch in np.array_split(np.arange(len(x)), STEPS):
        wrong = scores([weights, bias], x[batch]) - np.eye(CLASSES)[labels[batch]]
        weights, bias = weights - RATE * wrong.T @ x[batch] / len(batch), bias - RATE * wrong.mean(axis=0)
    return [weights, bias]


def losses(model: Model, job: int = 0) -> list[float]:
    x, labels = data(job, -1)
    loss = -np.log(scores(model, x)[np.arange(len(x)), labels] + 1e-12)
    return [float(loss[labels == one].mean()) for one in range(CLASSES)]


def own(model: Model, job: int = 0) -> Model:
    return trained(model, *data(job, -1))


def first() -> Model:
    return [np.zeros((CLASSES, INPUTS)), np.zeros(CLASSES)]


def size_of(job: int, client: int, round: int) -> int:
    usual = np.random.default_rng([job, client, 1]).uniform(*SAMPLES)
    return int(usual * np.random.default_rng([job, client, round]).uniform(0.7, 1.0))


def honest(job: int, rounds: int) -> Record:
    """The features of a job whose clients all work."""
    model, past, ids, found = first(), list[np.ndarray](), [], []
    for round in range(1, rounds + 1):
        counts = [size_of(job, client, round) for client in range(CLIENTS)]
        rows = [_some(job, client, round, count) for client, count in enumerate(counts)]
        after = [trained(model, *part) for part in rows]
        start = _flat(model)
        updates = np.array([_flat(one) - start for one in after])
        gains = np.array([np.subtract(losses(model, job), losses(one, job)) for one in after])
        heard = Heard(np.arange(CLIENTS), np.array(counts, float), updates, gains, _flat(own(model, job)) - start)
        if past:
            ids.append(heard.ids)
            found.append(features(heard, np.array(past[-PAST:]), layout_of(model)))
        change = heard.claims @ updates / heard.claims.sum()
        past.append(change)
        model = _unflat(start + change)
    return Record(ids, found)


@cache
def reference(rounds: int = 10) -> Reference:
    return calibrate([honest(job, rounds) for job in range(1, 25)], {"weights": CLASSES * (INPUTS + 1)})


def app(cheats: int = 0, begins: int = 1) -> ClientApp:
    """The client app; from round `begins` on the first clients send the model back with a little noise."""
    result = ClientApp()
    client = Client(result, _size, samples=lambda context: 200)

    @result.train(mods=[client.mod])
    def train(message: Message, context: Context) -> Message:
        partition = int(context.node_config["partition-id"])
        sent = message.content.array_records["arrays"]
        model, round = [sent["w"].numpy(), sent["b"].numpy()], _round(message)
        x, labels = data(0, partition)
        rows = client.indices(len(x), message, context)
        if partition < cheats and round >= begins:
            rng = np.random.default_rng([9, partition, round])
            after = [part + 1e-6 * rng.normal(size=part.shape) for part in model]
        else:
            after = trained(model, x[rows], labels[rows])
        content = RecordDict({"arrays": _record(after), "metrics": MetricRecord({"num-examples": len(rows)})})
        return Message(content, reply_to=message)

    return result


def _round(message: Message) -> int:
    stated: Any = message.content["config"]["server-round"]
    return int(stated)


def _size(posted: Posted, context: Context) -> float:
    """Whatever is paid: about as much as this client always has."""
    return size_of(0, int(context.node_config["partition-id"]), 1) / 1000


def watch(**settings: Any) -> Watch:
    chosen: dict[str, Any] = {"reference": reference(), "losses": lambda a: losses(_model(a)), "own": _own}
    return Watch(**chosen | settings)


def _own(arrays: ArrayRecord) -> ArrayRecord:
    return _record(own(_model(arrays)))


def run(
    folder: Path,
    *,
    rounds: int,
    trust: Watch | None,
    cheats: int = 0,
    begins: int = 1,
    clients: int = CLIENTS,
    measure: Callable[[ArrayRecord], float] | None = None,
    grid: Grid | None = None,
    grace: float | None = None,
) -> Incentive:
    """Play the job from wherever its ledger is, in process unless there is a grid."""
    strategy = FedAvg(fraction_evaluate=0.0, min_train_nodes=clients, min_available_nodes=clients)
    incentive = Incentive(
        strategy if grid else toy.fedavg(),
        "uniform",
        terms=TERMS,
        ledger=folder / "ledger.db",
        checkpoints=folder / "models",
        measure=measure or accuracy,
        trust=trust,
        grace=grace,
    )
    incentive.start(grid or LocalGrid(app(cheats, begins), clients), _record(first()), num_rounds=rounds)
    return incentive


def accuracy(arrays: ArrayRecord) -> float:
    x, labels = data(0, -1)
    return float((scores(_model(arrays), x).argmax(axis=1) == labels).mean())


def _record(model: Model) -> ArrayRecord:
    return ArrayRecord({"w": Array(model[0]), "b": Array(model[1])})


def _model(arrays: ArrayRecord) -> Model:
    return [arrays["w"].numpy(), arrays["b"].numpy()]


def _flat(model: Model) -> np.ndarray:
    return np.concatenate([part.ravel() for part in model])


def _unflat(vector: np.ndarray) -> Model:
    return [vector[: CLASSES * INPUTS].reshape(CLASSES, INPUTS), vector[CLASSES * INPUTS :]]


def _some(job: int, client: int, round: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    x, labels = data(job, client)
    rows = np.random.default_rng([job, client, round, 2]).permutation(len(x))[:count]
    return x[rows], labels[rows]
