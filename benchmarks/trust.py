"""Who is caught, and who is falsely accused: real training with cheats, judged by `lefi.trust`.

    python -m benchmarks.trust play results/trust --processes 2     # hours on two cores; goes on where it stopped
    python -m benchmarks.trust judge results/trust                  # tables, from what was played
    python -m benchmarks.trust reference results/trust              # src/lefi/trust/digits.json
    python -m benchmarks.trust closed results/trust --processes 2   # minutes: accuracy and pay, with and without
    python -m benchmarks.trust play results/trust_cifar10 --data cifar10 --folder DATA --device cuda --processes 6
    python -m benchmarks.trust judge results/trust --sets majority  # where most cheat

Sets of jobs, each with fleets of its own: `reference` (honest) calibrates, `design` was looked at while the scores were
chosen, `judged` and `majority` are what docs tell. Their fleets were drawn after scores and widths had been frozen.
Nobody leaves in these jobs: the evidence is computed from what the server heard.
"""

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lefi.profiling.cheats import IDLE, KINDS, Fleet, Job
from lefi.profiling.closed_loop import DIGITS, compared
from lefi.profiling.data import load_images
from lefi.profiling.train import Recipe, Trainer
from lefi.trust import Layout, Record, Reference, Trust, calibrate
from lefi.trust.features import features
from lefi.trust.reference import SHIPPED
from lefi.trust.trust import MAJORITY

ROUNDS = 20
RECIPES = {
    "digits": DIGITS,
    "cifar10": Recipe(epochs=2, learning_rate=0.01, momentum=0.9, batch=32),
}
FLEETS = {"digits": Fleet(), "cifar10": Fleet(sizes=(150, 1000), validation=500)}
MODES = {"steady": {}, "late": {"begins": 10}, "sporadic": {"duty": 0.25}}
MANY = tuple(range(2_700_000, 2_700_018))  # seeds of fleets
FEW = MANY[:2]
CLOSED = dict.fromkeys(IDLE, MANY) | dict.fromkeys(("tenth", "tenth_scaled", "quarter", "half"), FEW)
ONES = ("kind", "gaps")  # of what a closed loop tells: no means over fleets
WEIGHTS = 2410  # of the model of digits
SHARES = (0.1, 0.2, 0.4)  # of the clients that cheat, by turns
MOST = 0.6  # of them, where most do


class Played(NamedTuple):
    """One job: features (rounds, clients, features) from the second round on, and who did what."""

    fleet: Fleet
    seed: int
    names: list[str]
    values: np.ndarray
    kinds: np.ndarray
    skew: np.ndarray
    leader: int
    accuracy: np.ndarray


class Source(NamedTuple):
    """What is trained on, and where."""

    data: str = "digits"
    folder: str | None = None
    device: str = "cpu"


def orders(data: str) -> dict[str, list[tuple[Fleet, int]]]:
    """The jobs of each set. Seeds of no two sets meet."""
    usual = FLEETS[data]

    def honest(first: int, jobs: int) -> list[tuple[Fleet, int]]:
        return [(usual, seed) for seed in range(first, first + jobs)]

    def cheats(first: int, repeats: int) -> list[tuple[Fleet, int]]:
        return [
            (replace(usual, kind=kind, share=SHARES[s % 3], **mode), first + 100 * s + 10 * place + at)  # type: ignore[arg-type]
            for s in range(repeats)
            for place, kind in enumerate(KINDS)
            for at, mode in enumerate(MODES.values())
        ]

    def most(first: int, repeats: int) -> list[tuple[Fleet, int]]:
        return [
            (replace(usual, kind=kind, share=MOST), first + 100 * s + 10 * place)
            for s in range(repeats)
            for place, kind in enumerate(KINDS)
        ]

    if data == "cifar10":
        return {
            "reference": honest(1000, 100),
            "design": cheats(20_000, 3) + most(30_000, 1),
            "judged": honest(5_000_000, 40) + cheats(5_100_000, 3),
            "majority": most(5_200_000, 1),
        }
    return {
        "reference": honest(1000, 120),
        "design": honest(2000, 60) + cheats(20_000, 6) + most(30_000, 2),
        "judged": honest(4_000_000, 110) + cheats(4_100_000, 12),
        "majority": most(4_200_000, 3),
    }


@cache
def trainer(source: Source) -> Trainer:
    torch.set_num_threads(1)
    folder = Path(source.folder) if source.folder else None
    return Trainer(load_images(source.data, folder), RECIPES[source.data], torch.device(source.device))


def play(source: Source, fleet: Fleet, seed: int) -> Played:
    job = Job(trainer(source), fleet, seed)
    past: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    accuracy: list[float] = []
    names: list[str] = []
    for round in job.play(ROUNDS):
        if past:
            found = features(round.heard, np.array(past), job.layout)
            names = list(found)
            rows.append(np.column_stack(list(found.values())))
        past.append(round.change)
        accuracy.append(round.accuracy)
    return Played(fleet, seed, names, np.array(rows), job.kinds, job.skew, job.leader, np.array(accuracy))


def keep(played: Played, path: Path) -> None:
    told = json.dumps(
        {"fleet": played.fleet.__dict__, "seed": played.seed, "names": played.names, "leader": played.leader}
    )
    hidden = path.with_name(f".{path.name}")
    arrays = {"values": played.values.astype(np.float32), "kinds": played.kinds, "skew": played.skew}
    np.savez_compressed(hidden, told=np.array(told), accuracy=played.accuracy, **arrays)  # type: ignore[arg-type]
    hidden.replace(path)


def kept(path: Path) -> Played:
    with np.load(path, allow_pickle=False) as file:
        told = json.loads(str(file["told"]))
        fleet = Fleet(**told["fleet"] | {"sizes": tuple(told["fleet"]["sizes"])})
        arrays = (file["values"].astype(float), file["kinds"], file["skew"])
        return Played(fleet, told["seed"], told["names"], *arrays, told["leader"], file["accuracy"])


def play_and_keep(source: Source, order: tuple[Fleet, int], path: Path) -> None:
    keep(play(source, *order), path)


def play_all(folder: Path, source: Source, sets: list[str], processes: int) -> None:
    wanted = {
        folder / name / f"{fleet.kind}-{seed}.npz": (fleet, seed)
        for name in sets
        for fleet, seed in orders(source.data)[name]
    }
    missing = {path: order for path, order in wanted.items() if not path.is_file()}
    for name in sets:
        (folder / name).mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        done = [pool.submit(play_and_keep, source, order, path) for path, order in missing.items()]
        for count, one in enumerate(as_completed(done), len(wanted) - len(missing) + 1):
            one.result()
            if count % 20 == 0 or count == len(wanted):
                print(f"trust: {count}/{len(wanted)} jobs", flush=True)


def read(folder: Path, name: str) -> Iterator[Played]:
    for path in sorted((folder / name).glob("*.npz")):
        yield kept(path)


def record(played: Played) -> Record:
    ids = [np.arange(played.values.shape[1])] * len(played.values)
    return Record(ids, [dict(zip(played.names, row.T, strict=True)) for row in played.values])


def accused(reference: Reference, played: Played, alpha: float = 0.01) -> dict[int, int]:
    """The round in which each client is accused, with step-down; nobody really leaves."""
    return judged(reference, played, alpha)[0]


def judged(reference: Reference, played: Played, alpha: float = 0.01) -> tuple[dict[int, int], int]:
    """And the rounds in which nobody could be."""
    trust = Trust(reference, Layout((), (0, 0)), alpha)
    when: dict[int, int] = {}
    silent = 0
    for number, (ids, found) in enumerate(zip(*record(played), strict=True), 2):
        verdicts = trust.weigh(ids.tolist(), found)
        silent += verdicts.silent == MAJORITY
        for client in verdicts.accused:
            when[client] = number
    return when, silent


def judge(folder: Path, name: str) -> list[dict[str, Any]]:
    """Rows: per kind and mode the share caught by rounds 5, 10 and 20; honest clients by skew."""
    honest = [record(one) for one in read(folder, "reference")]
    reference = calibrate(honest, {"weights": 0})  # the jobs keep features, not updates: there is no size to check
    if name == "majority":
        return [_outnumbered(reference, played) for played in read(folder, name)]
    found: dict[tuple[str, str], list[int]] = {}
    for played in read(folder, name):
        when, fleet = accused(reference, played), played.fleet
        mode = "late" if fleet.begins else "sporadic" if fleet.duty < 1 else "steady"
        for client, kind in enumerate(played.kinds.tolist()):
            if client == played.leader:
                continue
            key = (kind, mode) if kind != "honest" else ("honest", f"Dirichlet {played.skew[client]:g}")
            found.setdefault(key, []).append(when.get(client, ROUNDS + 1))
    return [
        {"kind": kind, "which": which, "clients": len(rounds)}
        | {f"by {last}": float(np.mean(np.array(rounds) <= last)) for last in (5, 10, 20)}
        for (kind, which), rounds in sorted(found.items())
    ]


def _outnumbered(reference: Reference, played: Played) -> dict[str, Any]:
    """One job of which most clients cheat: how many are accused, and in how many rounds nobody is judged."""
    when, silent = judged(reference, played)
    honest = sum(1 for client in when if played.kinds[client] == "honest")
    counted = {"honest accused": honest, "cheats accused": len(when) - honest, "rounds silent": silent}
    return {"kind": played.fleet.kind, "seed": played.seed, "honest": int((played.kinds == "honest").sum())} | counted


def closed(processes: int) -> list[dict[str, Any]]:
    """Rows: per kind, 40% of the clients cheating, accuracy and pay where everybody is believed and where not."""
    rows = []
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        found = {kind: pool.map(close, [kind] * len(seeds), seeds) for kind, seeds in CLOSED.items()}
        for kind, fleets in found.items():
            each = list(fleets)
            means = {name: float(np.mean([one[name] for one in each])) for name in each[0] if name not in ONES}
            rows.append({"kind": kind} | means | {"gaps": [gap for one in each for gap in one["gaps"]]})
    return rows


def close(kind: str, seed: int) -> dict[str, Any]:
    """One fleet."""
    fleet = replace(FLEETS["digits"], kind=kind, share=SHARES[-1])
    return compared(trainer(Source()), fleet, Reference.read("digits"), ROUNDS, [seed])._asdict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "judge", "reference", "closed"))
    parser.add_argument("folder_of_jobs", type=Path)
    parser.add_argument("--data", default="digits", choices=tuple(RECIPES))
    parser.add_argument("--folder", help="where the files of cifar10 lie")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sets", default="reference,judged", help="played; the last one is judged")
    options = parser.parse_args()
    sets = options.sets.split(",")
    if options.what == "play":
        play_all(options.folder_of_jobs, Source(options.data, options.folder, options.device), sets, options.processes)
        return
    if options.what == "reference":
        about = {"weights": WEIGHTS, "model": DIGITS.model, "data": "digits", "recipe": asdict(DIGITS)}
        calibrate([record(one) for one in read(options.folder_of_jobs, "reference")], about).write(SHIPPED)
        return
    closing = options.what == "closed"
    rows = closed(options.processes) if closing else judge(options.folder_of_jobs, sets[-1])
    name = "trust_closed.json" if closing else "trust_majority.json" if sets[-1] == "majority" else "trust.json"
    options.folder_of_jobs.mkdir(parents=True, exist_ok=True)
    (options.folder_of_jobs / name).write_text(json.dumps(rows, indent=1) + "\n")
    for row in rows:
        print("  ".join(f"{value:.3f}" if isinstance(value, float) else f"{value!s:16}" for value in row.values()))


if __name__ == "__main__":
    main()
