"""Honest jobs, trained for real on separate data: a reference for `lefi.trust` where there are no past jobs."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from lefi.profiling.cheats import CONCENTRATIONS, Fleet, Job
from lefi.profiling.train import Trainer
from lefi.trust import Record, Reference, calibrate
from lefi.trust.features import PAST, features


def record_of(job: Job, rounds: int) -> Record:
    """What a server hears of a job whose clients all work."""
    ids, found, past = [], [], list[Any]()
    for played in job.play(rounds):
        if past:
            ids.append(played.heard.ids)
            found.append(features(played.heard, np.array(past[-PAST:]), job.layout))
        past.append(played.change)
    return Record(ids, found)


def calibrated(
    trainer: Trainer, fleet: Fleet, jobs: int, rounds: int, seed: int, progress: Callable[[int, int], None]
) -> Reference:
    """A reference from so many honest jobs, each with clients of its own."""
    records: list[Record] = []
    weights = 0
    for place, job in enumerate(_jobs(trainer, fleet, jobs, seed), 1):
        records.append(record_of(job, rounds))
        weights = sum(int(np.prod(shape)) for shape in job.shapes)
        progress(place, jobs)
    skews = ["iid" if np.isinf(one) else f"Dirichlet {one:g}" for one in CONCENTRATIONS]
    about: dict[str, Any] = {
        "weights": weights,
        "model": trainer.recipe.model,
        "data": trainer.images.name,
        "clients": skews,
    }
    about["recipe"] = asdict(trainer.recipe)
    return calibrate(records, about)


def _jobs(trainer: Trainer, fleet: Fleet, jobs: int, seed: int) -> Iterator[Job]:
    return (Job(trainer, fleet, seed + place) for place in range(jobs))
