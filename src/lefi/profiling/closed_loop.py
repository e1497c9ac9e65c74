"""A job with cheats from its offers to its money: who is accused leaves, and loses what is held back."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from lefi.arrays import FloatArray
from lefi.profiling.cheats import Fleet, Job
from lefi.profiling.data import load_images
from lefi.profiling.train import Recipe, Trainer
from lefi.trust import Escrow, Reference, Trust

UNIT = 10**-9  # of money
RATE, SAMPLES = 0.75, 40.0  # pay is 1 - exp(-RATE claim / SAMPLES): the paper's curve at the sizes of digits

DIGITS = Recipe(epochs=2, learning_rate=0.05, momentum=0.0, batch=10, model="lefi.profiling.model:small_mlp")


class Outcome(NamedTuple):
    """What became of a job. Shares are of what clients would be paid for such claims if nobody were ever accused."""

    accuracy: list[float]
    accused: dict[int, int]  # the round in which each client was
    kept: float  # by those who cheat; NaN where nobody does
    honest_lost: int  # honest clients that were accused


def played(job: Job, rounds: int, trust: Trust | None = None, escrow: int = 3) -> Outcome:
    """Play the job; without trust everybody is believed and paid at once."""
    held, accuracy, accused = Escrow(escrow if trust else 0), [], {}
    paid, claimed = np.zeros(len(job.kinds)), [list[int]() for _ in job.kinds]
    for number, round in enumerate(job.play(rounds, trust), 1):
        accuracy.append(round.accuracy)
        pay = dict(zip(round.heard.ids.tolist(), _pay(round.heard.claims), strict=True))
        for client, units in pay.items():
            claimed[client].append(units)
        held.earn(number, pay)
        for client in round.verdicts.accused if round.verdicts else ():
            accused[client] = number
            held.forfeit(client)
        for (_, one), units in held.due(number).items():
            paid[int(one)] += units
    for (_, one), units in held.release().items():
        paid[int(one)] += units
    full = np.array([rounds * np.mean(units) if units else 0.0 for units in claimed])
    cheats = (job.kinds != "honest") & (np.arange(len(job.kinds)) != job.leader)
    kept = float(paid[cheats].sum() / full[cheats].sum()) if cheats.any() else np.nan
    lost = sum(1 for client in accused if job.kinds[client] == "honest")
    return Outcome(accuracy, accused, kept, lost)


def _pay(claims: FloatArray) -> list[int]:
    owed = -np.expm1(-RATE * claims / SAMPLES)
    return [int(units) for units in np.floor(owed / UNIT).tolist()]


class Compared(NamedTuple):
    """One kind of cheat: the same clients all honest, believed, watched, and known; means over seeds."""

    kind: str
    honest: float  # accuracy after the last round
    believed: float
    watched: float
    kept: float  # of their pay, by cheats that are watched
    caught: float
    honest_lost: float  # share of honest clients that were accused
    known: float  # accuracy where cheats are never let in: without their data, and without harm
    gaps: list[float]  # by seed: what watching lacks of all honest


def digits_trainer() -> Trainer:
    """As the clients of the reference `digits` train."""
    return Trainer(load_images("digits"), DIGITS, torch.device("cpu"))


def compared(
    trainer: Trainer, fleet: Fleet, reference: Reference, rounds: int, seeds: list[int], escrow: int = 3
) -> Compared:
    """What cheats cost a job, and what trust gives back. The same seed has the same clients and data."""
    honest, believed, watched = [], [], []
    usual = replace(fleet, kind="honest", share=0.0)
    for seed in seeds:
        honest.append(_honest(trainer, usual, seed, rounds, frozenset()))
        believed.append(played(Job(trainer, fleet, seed), rounds).accuracy[-1])
        job = Job(trainer, fleet, seed)
        watched.append((job, played(job, rounds, Trust(reference, job.layout), escrow)))
    cheats = [set(np.flatnonzero(job.kinds != "honest").tolist()) - {job.leader} for job, _ in watched]
    caught = [len(set(out.accused) & who) / len(who) for (_, out), who in zip(watched, cheats, strict=True)]
    lost = [out.honest_lost / (fleet.clients - len(who)) for (_, out), who in zip(watched, cheats, strict=True)]
    after = [out.accuracy[-1] for _, out in watched]
    kept = [out.kept for _, out in watched]
    known = [_honest(trainer, usual, seed, rounds, frozenset(who)) for seed, who in zip(seeds, cheats, strict=True)]
    parts = {"honest": honest, "believed": believed, "watched": after, "known": known}
    parts |= {"kept": kept, "caught": caught, "honest_lost": lost}
    means = {name: float(np.mean(part)) for name, part in parts.items()}
    return Compared(kind=fleet.kind, gaps=(np.array(honest) - after).tolist(), **means)


@lru_cache(maxsize=32)
def _honest(trainer: Trainer, fleet: Fleet, seed: int, rounds: int, without: frozenset[int]) -> float:
    """Accuracy in the end of the same job where those who are in it all work: kept, for kinds of cheats share it."""
    return [round.accuracy for round in Job(trainer, fleet, seed).play(rounds, without=without)][-1]
