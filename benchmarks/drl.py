"""Interactions in a second of one core: markets as arrays, one market as an object, and training.

    python -m benchmarks.drl [--steps 1e6]

CPU time of this process alone, so that other programs do not count. An interaction is one round of one market with ten
clients. Writes results/bench/drl.json, which `python -m benchmarks.pages` puts into docs/drl.md.
"""

import argparse
import json
import resource
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import lefi
from lefi.gym.episodes import Episodes
from lefi.gym.families import drawn_market
from lefi.gym.policy_gradient import Recipe
from lefi.gym.stacked import stack
from lefi.gym.train import train

MARKETS, CLIENTS, ROUNDS = 1024, 10, 30
OUT = Path("results/bench/drl.json")


def cpu(work: Callable[[], object]) -> float:
    """Seconds of this process that the work takes."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def stepped(steps: float) -> None:
    """Episodes of drawn markets under actions that differ, drawing of the markets included."""
    rng, done = np.random.default_rng(0), 0
    while done < steps:
        pairs = [drawn_market(rng, CLIENTS) for _ in range(MARKETS)]
        episodes = Episodes(stack([market for market, _ in pairs], [seed for _, seed in pairs]))
        for _ in range(ROUNDS):
            episodes.sight()
            episodes.step(rng.normal(size=(MARKETS, CLIENTS)))
        done += MARKETS * ROUNDS


def played(steps: float) -> None:
    """The same by `lefi.play`, one market after the other."""
    market = lefi.scenario("mixed", clients=CLIENTS, seed=1)
    for _ in range(int(steps / ROUNDS)):
        list(lefi.play(lefi.make("drl", market.terms, weights="shipped"), market, ROUNDS))


def trained(steps: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        train(steps, Path(folder) / "weights.npz", Recipe())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=float, default=1e6, help="interactions that are timed")
    steps = parser.parse_args().steps
    seconds = {}  # of a million interactions
    for name, work, part in (
        ("markets as arrays", stepped, 1.0),
        ("training", trained, 1.0),
        ("lefi.play", played, 0.01),
    ):
        seconds[name] = 1e6 * cpu(partial(work, part * steps)) / (part * steps)
        print(f"{name:18} {1e6 / seconds[name]:10,.0f} in a second, {seconds[name]:7.0f} s for a million")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(seconds, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
