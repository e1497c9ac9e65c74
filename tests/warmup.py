"""Compile the kernels of mechanisms before the workers of pytest start, which would each compile the same otherwise.

Two processes, since each half takes about as long: `python -m tests.warmup waterfill` and `... lefi`.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import lefi
from lefi.compiler import NUMBA, digest

HALVES = ("waterfill", "lefi")
PLAYS = {"waterfill": (("mixed", 5, 6), ("noisy", 5, 6), ("mixed", 2500, 5)), "lefi": (("mixed", 5, 4),)}


def play(name: str) -> None:
    """Rounds that enter every kernel of a mechanism."""
    for scenario, clients, rounds in PLAYS[name]:
        market = lefi.scenario(scenario, clients=clients, seed=1)
        for _ in lefi.play(lefi.make(name, market.terms), market, rounds):
            pass


def cold() -> bool:
    """Whether the largest kernel has to be compiled: nothing is on disk under the digest of its sources."""
    from lefi.mechanisms.waterfill import belief

    kernel: Any = belief.fit
    kept = Path(kernel._cache.cache_path)
    return not list(kept.glob(f"*{kernel.__name__}-{digest(Path(belief.__file__))}*.nbi"))


def compile_all() -> None:
    if NUMBA and cold():
        started = [subprocess.Popen([sys.executable, "-m", "tests.warmup", half]) for half in HALVES]
        for process in started:
            assert process.wait() == 0


if __name__ == "__main__":
    play(sys.argv[1])
