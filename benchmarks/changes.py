"""What a change of waterfill's sources does to the share of the oracle's gain: what constants and parts are told by.

    python -m benchmarks.changes [--seeds 16] [--first 400]      the share on every fleet, as JSON

Compiled code has constants frozen in. So each change is made in a copy of the sources, which a process of its own
plays: that takes a minute or two. Shares are means over some rounds, on the same fleets with and without the change;
told is the mean difference where it is above FELT and above two standard errors.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import get_ident

import numpy as np

import lefi
from benchmarks import others
from benchmarks.waterfill import CHANGING, shares

PACKAGE = "src/lefi/mechanisms/waterfill"
ROUNDS = {
    "mixed": range(3, 21),
    "reluctant": range(5, 26, 2),
    "noisy": range(6, 26),
    "stubborn": range(8, 26, 2),
    "jump": range(16, 27),
    "drifting": range(10, 41, 3),
    "churning": range(10, 41, 3),
}
LARGE = {"mixed": range(3, 16), "flaky": range(8, 21, 2)}  # rounds of fleets of MANY, half as many of them
MANY = 4000  # clients: more than waterfill thinks about in a round
CURVES = ("root", "cube", "two steps", "three steps")  # of clients that no scenario knows
FELT = 0.005  # share that a change must move to be told
USUAL = "usual"  # name of what is played without a change
Shares = dict[str, list[float]]  # by where, one per fleet
Change = Callable[[Path], None]  # of the sources in this folder


def reached(seeds: range) -> Shares:
    """The share on every fleet."""
    found: Shares = {}

    def add(where: str, scenario: str, clients: int, rounds: range, seed: int) -> None:
        market = lefi.scenario(scenario, clients=clients, seed=seed)
        row, _ = shares("waterfill", market, list(rounds), seed, changing=scenario in CHANGING)
        found.setdefault(where, []).append(float(np.nanmean(row)))

    for seed in seeds:
        for scenario, rounds in ROUNDS.items():
            add(scenario, scenario, 10, rounds, seed)
    for seed in seeds[: len(seeds) // 2]:
        for scenario, rounds in LARGE.items():
            add(f"large {scenario}", scenario, MANY, rounds, seed)
    for shape in CURVES:
        found[shape] = [others.shares(shape, "plain", 40, 0.1, 20, seed)[0] for seed in seeds]
    return found


def played(seeds: range, change: Change | None, folder: Path) -> Shares:
    """The same in a process of its own, in this folder, after a change; machine code of what it leaves alone stays."""
    for part in ("src", "benchmarks"):
        shutil.rmtree(folder / part, ignore_errors=True)
        shutil.copytree(part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    if change:
        change(folder / PACKAGE)
    command = [sys.executable, "-m", "benchmarks.changes"]
    command += ["--first", str(seeds.start), "--seeds", str(len(seeds))]
    paths = os.pathsep.join([str(folder / "src"), str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    found: Shares = json.loads(done.stdout)
    return found


def play(changes: dict[str, Change], file: Path, chosen: argparse.Namespace) -> None:
    """Play without a change and with each, and keep what was found; what the file has of other changes stays."""
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    kept: dict[str, Shares] = json.loads(file.read_text()) if file.exists() and chosen.names else {}

    def one(name: str) -> Shares:
        return played(seeds, changes.get(name), Path(root, str(get_ident())))

    names = [USUAL, *changes]
    with TemporaryDirectory() as root, ThreadPoolExecutor(chosen.jobs) as pool:
        for name, found in zip(names, pool.map(one, names), strict=True):
            kept[name] = {where: np.round(row, 5).tolist() for where, row in found.items()}
            print(name, {where: round(float(np.mean(row)), 3) for where, row in found.items()}, flush=True)
            rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept))
            file.write_text(f"{{\n{rows}\n}}\n")


def told(usual: Shares, now: Shares) -> str:
    """Where the share moves."""
    felt = []
    for where in usual:
        apart = np.array(now[where]) - np.array(usual[where])
        if abs(apart.mean()) > max(FELT, 2 * apart.std(ddof=1) / np.sqrt(apart.size)):
            felt.append(f"{where} {apart.mean():+.3f}")
    return ", ".join(felt) or "nothing"


def options(about: str | None, seeds: int, first: int) -> argparse.ArgumentParser:
    """What can be asked for on the command line."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default="", help="some, if not all")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--first", type=int, default=first, help="first seed: not those of the record")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--page", type=Path, help="page to write the table into, instead of playing")
    return parser


if __name__ == "__main__":
    asked = options(__doc__, 16, 400).parse_args()
    print(json.dumps(reached(range(asked.first, asked.first + asked.seeds))))
