"""What watching gives back where a mechanism pays: the money that cheats no longer take buys more from the others.

    python -m benchmarks.trust_paid paid.json --processes 16     # minutes on 16 cores

Jobs as those of `lefi train --trust digits --cheat KIND --cheating 0.4 --clients 20 --rounds 20 --size-high 0.118
--budget USD --mechanisms NAME`. For each fleet the same clients, data and budget: all honest, believed, and watched.
The reference is of honest jobs that the same mechanism pays with the same budget, as an operator has them from past
jobs. `digits`, whose clients all train in every round, is told beside it.
"""

import argparse
import json
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms import make
from lefi.mechanisms.catalogue import mechanism_of
from lefi.profiling.cheats import IDLE, Fleet
from lefi.profiling.closed_loop import digits_trainer
from lefi.profiling.paid_job import Paid, PaidJob, pay
from lefi.profiling.train import Trainer
from lefi.trust import Record, Reference, Trust, calibrate
from lefi.trust.features import FEWEST, features
from lefi.trust.scores import Features
from lefi.world.scaled import scaled_market

HONEST = tuple(range(2_650_000, 2_650_100))  # seeds of the reference's fleets
SEEDS = tuple(range(2_600_000, 2_600_024))  # of those that are judged, drawn after everything had been chosen
PAYS = (("price", 0.08), ("price", 0.12), ("waterfill", 0.4), ("waterfill", 0.8))  # USD a round
ROUNDS, CLIENTS, SHARE = 20, 20, 0.4
SHIPPED = "digits"
LEAST, MOST = (int(bound) for bound in Reference.read(SHIPPED).about["claims"])  # samples that a client claims
WAYS = ("honest", "believed", "watched")


class One(NamedTuple):
    """A job, and the reference with which it is watched."""

    pays: tuple[str, float]
    kind: str
    seed: int
    way: str
    reference: str


@cache
def trainer() -> Trainer:
    torch.set_num_threads(1)
    return digits_trainer()


def job_of(one: One) -> PaidJob:
    """Clients, data and money are the same in all ways."""
    (mechanism, budget), seed = one.pays, one.seed
    market = scaled_market("mixed", "digits", MOST / 1000, clients=CLIENTS, budget=budget, seed=seed)
    market = market.taking(mechanism_of(mechanism).payment)
    kind = "honest" if one.way == "honest" else one.kind
    fleet = Fleet(clients=CLIENTS, kind=kind, share=SHARE, sizes=(LEAST + 10, MOST))
    return PaidJob(trainer(), fleet, seed, market, make(mechanism, market.terms, seed=seed), LEAST)


def play(one: One) -> Paid:
    job = job_of(one)
    return pay(job, ROUNDS, Trust(Reference.read(one.reference), job.layout) if one.way == "watched" else None)


def honest(one: One) -> Record:
    """What a server keeps of an honest job that is paid, as a reference needs it: rounds that could be judged."""
    job, past, ids, found = job_of(one), list[FloatArray](), list[IntArray](), list[Features]()
    for round in job.play(ROUNDS):
        job.tell(round.accuracy)
        if past and len(round.heard.ids) >= FEWEST:
            ids.append(round.heard.ids)
            found.append(features(round.heard, np.array(past), job.layout))
        past += [round.change] if round.change.any() else []
    return Record(ids, found)


def calibrated(pays: tuple[str, float], records: Iterable[Record], place: Path) -> str:
    """The file of the reference of such jobs."""
    path = place.with_name("{}_{:g}.reference.json".format(*pays))
    calibrate(list(records), {"weights": Reference.read(SHIPPED).about["weights"]}).write(path)
    return str(path)


def row(pays: tuple[str, float], kind: str, jobs: dict[str, list[Paid]]) -> dict[str, Any]:
    """One kind of cheat. What cheats keep is told of what they get where they are believed."""
    kept = {way: sum(job.kept * job.spent for job in jobs[way]) for way in WAYS}
    watched = jobs["watched"]
    return {
        "mechanism": pays[0],
        "budget": pays[1],
        "kind": kind,
        "gaps": [one.accuracy - other.accuracy for one, other in zip(jobs["honest"], watched, strict=True)],
        **{way: float(np.mean([job.accuracy for job in jobs[way]])) for way in WAYS},
        "caught": float(np.mean([job.caught for job in watched])),
        "honest_lost": sum(job.honest_lost for job in watched),
        "of": round((1 - SHARE) * CLIENTS) * len(watched),
        "silent": sum(job.silent is not None for job in watched),
        "kept": kept["watched"] / kept["believed"],
        "delivered": float(np.mean([job.delivered for job in jobs["honest"]])),
        "delivered watched": float(np.mean([job.delivered for job in watched])),
    }


def measured(place: Path, seeds: tuple[int, ...], processes: int) -> list[dict[str, Any]]:
    rows, usual = [], IDLE[0]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        past = {pays: pool.map(honest, [One(pays, usual, seed, "honest", SHIPPED) for seed in HONEST]) for pays in PAYS}
        for pays, records in past.items():
            own, found = calibrated(pays, records, place), dict[tuple[str, str, str], Any]()
            wanted = [("honest", usual, SHIPPED), ("watched", usual, SHIPPED)]
            wanted += [(way, kind, own) for kind in IDLE for way in ("watched", "believed")]
            for way, kind, reference in wanted:
                orders = [One(pays, kind, seed, way, reference) for seed in seeds]
                found[way, kind, reference] = pool.map(play, orders)
            jobs = {key: list(some) for key, some in found.items()}
            for kind, reference in [*((kind, own) for kind in IDLE), (usual, SHIPPED)]:
                of = {"honest": jobs["honest", usual, SHIPPED], "believed": jobs["believed", kind, own]}
                told = row(pays, kind, of | {"watched": jobs["watched", kind, reference]})
                rows.append(told | {"reference": "digits" if reference == SHIPPED else "own"})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="where the rows go")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    rows = measured(options.file, SEEDS, options.processes)
    options.file.write_text(json.dumps({"seeds": SEEDS, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    for one in rows:
        told = {name: value for name, value in one.items() if name != "gaps"}
        print("  ".join(f"{value:.3f}" if isinstance(value, float) else f"{value!s:10}" for value in told.values()))


if __name__ == "__main__":
    main()
