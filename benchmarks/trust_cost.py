"""What weighing updates costs: CPU of `Trust.hear` beside that of the training, and how it grows with clients.

    python -m benchmarks.trust_cost            # a minute

CPU time of this process, on one thread, mean over the rounds of a job. Training is that of all clients of a round.
"""

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lefi.profiling.cheats import Fleet, Job
from lefi.profiling.closed_loop import digits_trainer
from lefi.trust import Heard, Layout, Reference, Trust

CLIENTS = (20, 100, 300, 1000)
ROUNDS = 20
SHAPES = [(32, 64), (32,), (10, 32), (10,)]  # of the model of digits
CLASSES = 10


def cpu() -> float:
    """Seconds of this process, in user and system mode."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def beside_training() -> dict[str, float]:
    """Of a job of 20 clients, per round: seconds of hearing and of training."""
    trainer = digits_trainer()
    job = Job(trainer, Fleet(), 0)
    trust = Trust(Reference.read("digits"), job.layout)
    trained, heard = list[float](), list[float]()
    job._trained = _timed(job._trained, trained)  # type: ignore[method-assign]
    trust.hear = _timed(trust.hear, heard)  # type: ignore[method-assign]
    for _ in job.play(ROUNDS, trust):
        pass
    usual = float(np.mean(heard[2:]))  # the first round is silent, the second draws what all later ones need
    return {"training": float(np.mean(trained[2:])), "hearing": usual, "once": heard[1] - usual}


def _timed(function: Any, seconds: list[float]) -> Any:
    def timed(*given: Any) -> Any:
        before = cpu()
        found = function(*given)
        seconds.append(cpu() - before)
        return found

    return timed


def by_clients(clients: int) -> float:
    """Seconds of hearing one round, the mean over a job of made-up updates."""
    rng = np.random.default_rng(clients)
    layout, size = Layout.of(SHAPES), sum(int(np.prod(shape)) for shape in SHAPES)
    trust = Trust(Reference.read("digits"), layout, alpha=1e-99)  # nobody is to be accused
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


def measured() -> dict[str, Any]:
    torch.set_num_threads(1)
    beside = beside_training()
    hearing = {str(n): by_clients(n) for n in CLIENTS}
    return {"digits": beside, "ratio": beside["hearing"] / beside["training"], "hearing by clients": hearing}


def main() -> None:
    found = measured()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    beside = found["digits"]
    print(f"20 clients: {1e3 * beside['hearing']:.1f} ms to hear, {1e3 * beside['training']:.1f} ms to train", end="")
    print(f": {100 * found['ratio']:.1f}%")
    for clients, seconds in found["hearing by clients"].items():
        print(f"{clients:>5} clients: {1e3 * seconds:8.1f} ms, {1e6 * seconds / int(clients):7.1f} us per client")


if __name__ == "__main__":
    main()
