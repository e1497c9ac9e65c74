"""What weighing updates costs: CPU of `Trust.hear` beside that of the training, and how it grows with clients.

    python -m benchmarks.trust_cost cost.json                                                # a minute
    python -m benchmarks.trust_cost cost.json --data cifar10 --folder DATA --rounds 6        # a minute
    python -m benchmarks.trust_cost cost.json --data cifar10 --folder DATA --device cuda     # a minute on a GPU

CPU time of this process, on one thread; where a GPU trains, wall time of a machine that does nothing else. Mean over
the rounds of a job. A round is told in up to three ways: its 20 clients trained side by side in one batch, which is how
this benchmark plays jobs; the same clients one by one in plain PyTorch, as on machines of their own; and a round of a
Flower job, where Flower is installed.
"""

import argparse
import json
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.trust import FLEETS, RECIPES, Source, trainer
from benchmarks.trust_plain import trained
from lefi.profiling.cheats import Job
from lefi.trust import Heard, Layout, Reference, Trust

CLIENTS = (20, 100, 300, 1000)
ROUNDS = 20
SHAPES = [(32, 64), (32,), (10, 32), (10,)]  # of the model of digits
CLASSES = 10
NEVER = 1e-99  # alpha at which nobody is accused: an accusation costs another pass


def cpu() -> float:
    """Seconds of this process, in user and system mode."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def wall() -> float:
    """Seconds, with all that the GPU was asked to do."""
    torch.cuda.synchronize()
    return time.perf_counter()


def beside_training(job: Job, device: str, rounds: int) -> dict[str, float]:
    """Of a job of 20 clients, per round: seconds of hearing, and of training side by side and one by one."""
    trust = Trust(_of_size(job), job.layout, alpha=NEVER)
    clock = cpu if device == "cpu" else wall
    batch, heard, plain = list[float](), list[float](), list[float]()
    job._trained = _timed(job._trained, batch, clock)  # type: ignore[method-assign]
    trust.hear = _timed(trust.hear, heard, clock)  # type: ignore[method-assign]
    alone = _timed(_one_by_one, plain, clock)
    for round in job.play(rounds, trust):
        alone(job, round.heard)
    usual = float(np.mean(heard[2:]))  # the first round is silent, the second draws what all later ones need
    ways = {"side by side": float(np.mean(batch[2:])), "one by one": float(np.mean(plain[2:]))}
    return {"hearing": usual, "once": heard[1] - usual} | ways


def _one_by_one(job: Job, heard: Heard) -> None:
    """Every client trains on as many samples as it claimed, from the model of the job."""
    start = {name: values[0] for name, values in job.weights.items()}
    for client, claim in zip(heard.ids.tolist(), heard.claims.astype(int).tolist(), strict=True):
        trained(job, start, job.own[client][:claim])


def _of_size(job: Job) -> Reference:
    """That of digits for a model and claims of any size: what it says does not matter here, what it costs does."""
    reference, size = Reference.read("digits"), sum(int(np.prod(shape)) for shape in job.shapes)
    return replace(reference, about=reference.about | {"weights": size, "claims": [1, 1e9]})


def _timed(function: Any, seconds: list[float], clock: Callable[[], float]) -> Any:
    def timed(*given: Any) -> Any:
        before = clock()
        found = function(*given)
        seconds.append(clock() - before)
        return found

    return timed


def by_clients(clients: int) -> float:
    """Seconds of hearing one round, the mean over a job of made-up updates."""
    rng = np.random.default_rng(clients)
    layout, size = Layout.of(SHAPES), sum(int(np.prod(shape)) for shape in SHAPES)
    trust = Trust(Reference.read("digits"), layout, alpha=NEVER)
    way, seconds = rng.normal(size=size), list[float]()
    trust.applied(way)
    for _ in range(ROUNDS):
        claims = rng.uniform(24, 110, clients)
        updates = np.sqrt(claims)[:, None] * (way + rng.normal(size=(clients, size)))
        heard = Heard(np.arange(clients), claims, updates, rng.normal(size=(clients, CLASSES)), way)
        before = cpu()
        trust.hear(heard)
        seconds.append(cpu() - before)
        trust.applied(updates.mean(axis=0))
    return float(np.mean(seconds))


def measured(source: Source, rounds: int) -> dict[str, Any]:
    torch.set_num_threads(1)
    job = Job(trainer(source), FLEETS[source.data], 0)
    found: dict[str, Any] = {source.data: beside_training(job, source.device, rounds)}
    if source.data == "digits":
        found["hearing by clients"] = {str(n): by_clients(n) for n in CLIENTS}
        if find_spec("flwr"):
            from benchmarks import trust_flower

            found["flower"] = trust_flower.measured(Job(trainer(source), FLEETS[source.data], 0), rounds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="where the figures go")
    parser.add_argument("--data", default="digits", choices=tuple(RECIPES))
    parser.add_argument("--folder", help="where the files of cifar10 lie")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="the first two are left out")
    options = parser.parse_args()
    found = measured(Source(options.data, options.folder, options.device), options.rounds)
    options.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    beside = found[options.data]
    print(f"20 clients: {1e3 * beside['hearing']:.1f} ms to hear, {1e3 * beside['once']:.1f} ms once")
    for way in ("side by side", "one by one"):
        share = 100 * beside["hearing"] / beside[way]
        print(f"{way}: {1e3 * beside[way]:.0f} ms to train, of which hearing is {share:.1f}%")
    for name, seconds in found.get("flower", {}).items():
        print("Flower, {}: {:.1f} ms, {:.1f} ms of CPU".format(name, *(1e3 * value for value in seconds)))
    for clients, seconds in found.get("hearing by clients", {}).items():
        print(f"{clients:>5} clients: {1e3 * seconds:8.1f} ms, {1e6 * seconds / int(clients):7.1f} us per client")


if __name__ == "__main__":
    main()
