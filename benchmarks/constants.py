"""What happens to waterfill2 at half and at twice each constant that plain Python reads.

    python -m benchmarks.constants [--names HORIZON,VAGUE] [--seeds 4] [--first 300]

Share of the oracle's gain, mean over some rounds and median over fleets of ten at 0.5 USD each: what moves it by more
than FELT. Single rounds would tell more of who was tried just then. Constants of compiled kernels are frozen into
machine code: edit the file for those.
"""

import argparse
from collections.abc import Iterator
from types import ModuleType

import numpy as np

import lefi
from benchmarks.waterfill import CHANGING, shares
from benchmarks.waterfill2 import commons, mechanism, solver

PLACES: dict[ModuleType, tuple[str, ...]] = {
    mechanism: ("SHIFT",),
    solver: ("HORIZON", "NOISY_HORIZON", "LASTS", "STAGES", "CLOSER", "ATTEMPTS"),
    commons: ("FIRST", "EACH", "VAGUE", "BROAD", "ALIKE", "FEW", "NOISE", "LATE", "OUTLIER", "SURPRISED", "ORDERLY"),
}
ROUNDS = {
    "mixed": range(5, 21),
    "noisy": range(6, 26),
    "stubborn": range(8, 25),
    "jump": range(16, 26),
    "churning": range(10, 41, 3),
}
FELT = 0.005  # share that a change must move to be told


def reached(seeds: range) -> dict[str, float]:
    """Median share by scenario."""
    found: dict[str, float] = {}
    for scenario, rounds in ROUNDS.items():
        rows = []
        for seed in seeds:
            market = lefi.scenario(scenario, clients=10, seed=seed)
            row, _ = shares("waterfill2", market, list(rounds), seed, changing=scenario in CHANGING)
            rows.append(np.nanmean(row))
        found[scenario] = float(np.median(rows))
    return found


def told(usual: dict[str, float], now: dict[str, float]) -> str:
    felt = [f"{where} {now[where] - usual[where]:+.3f}" for where in usual if abs(now[where] - usual[where]) > FELT]
    return ", ".join(felt) or "nothing"


def table(names: set[str], seeds: range) -> Iterator[str]:
    usual = reached(seeds)
    yield "| constant | value | half | twice |\n|---|---|---|---|"
    for place, name in ((place, name) for place, listed in PLACES.items() for name in listed if name in names):
        value = getattr(place, name)
        cells = []
        for factor in (0.5, 2):
            setattr(place, name, type(value)(max(value * factor, 1) if isinstance(value, int) else value * factor))
            cells.append(told(usual, reached(seeds)))
            setattr(place, name, value)
        yield f"| {name} | {value:g} | {cells[0]} | {cells[1]} |"


def main() -> None:
    every = ",".join(name for listed in PLACES.values() for name in listed)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default=every)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=300, help="first seed: not those of the record")
    chosen = parser.parse_args()
    for line in table(set(chosen.names.split(",")), range(chosen.first, chosen.first + chosen.seeds)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
