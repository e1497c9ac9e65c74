"""Federated training in which some clients do not do the work that they claim: what a trust layer is judged on.

idle     nothing: an update of almost zero
noise    noise of the usual length, shaped by the last global change
replay   the last global change, with a fifth of noise
copy     another cheat's update, with a tenth of noise (the first of them works)
tenth, quarter, half         that part of the work; `_scaled`: and the update stretched to the usual length
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from lefi.arrays import FloatArray, IntArray
from lefi.profiling.sgd import Weights, exact
from lefi.profiling.train import Trainer
from lefi.trust import Heard, Layout, Trust, Verdicts
from lefi.trust.deterrence import PART

IDLE = ("idle", "noise", "replay", "copy")
KINDS = (*IDLE, *PART)
WORK = dict.fromkeys(IDLE, 0.0) | PART | {"honest": 1.0}  # of the claimed samples, trained on
FEWEST = 8  # samples of a claim
CONCENTRATIONS = (np.inf, 1.0, 0.3)  # of the Dirichlet behind a client's labels, a third of the clients each


@dataclass(frozen=True)
class Fleet:
    """Who takes part. Sizes in samples; each round a client claims between `least` and all of what it owns."""

    clients: int = 20
    kind: str = "honest"
    share: float = 0.0  # of the clients that cheat
    sizes: tuple[int, int] = (24, 120)
    least: float = 0.6
    begins: int = 0  # the round in which cheats begin
    duty: float = 1.0  # of the rounds from then on in which they cheat
    validation: int = 150


@dataclass(eq=False)
class Played:
    """One round as it was: what the server heard, what was really trained on, and what was said of it."""

    heard: Heard
    worked: IntArray
    accuracy: float
    change: FloatArray
    verdicts: Verdicts | None = field(default=None)


class Job:
    """One job. Draws come from `seed` alone."""

    def __init__(self, trainer: Trainer, fleet: Fleet, seed: int) -> None:
        self.trainer, self.fleet, self.seed = trainer, fleet, seed
        self.rng = rng = np.random.default_rng([seed, 25])
        labels = trainer.images.labels
        mixed = rng.permutation(len(labels))
        self.validation, pool = mixed[: fleet.validation], mixed[fleet.validation :]
        n = fleet.clients
        self.sizes = np.exp(rng.uniform(np.log(fleet.sizes[0]), np.log(fleet.sizes[1]), n)).round().astype(int)
        self.skew = rng.permutation(np.resize(CONCENTRATIONS, n))
        self.own = [_drawn(rng, labels, pool, size, skew) for size, skew in zip(self.sizes, self.skew, strict=True)]
        cheats = rng.permutation(n)[: 0 if fleet.kind == "honest" else max(round(fleet.share * n), 1)]
        self.kinds = np.full(n, "honest", dtype="<U16")
        self.kinds[cheats] = fleet.kind
        self.leader = int(cheats[0]) if fleet.kind == "copy" else -1
        self.weights = trainer.initial([seed])
        self.shapes = [tuple(values.shape[1:]) for values in self.weights.values()]
        self.last: FloatArray | None = None

    @property
    def layout(self) -> Layout:
        return Layout.of(self.shapes)

    def play(self, rounds: int, trust: Trust | None = None, without: Iterable[int] = ()) -> Iterator[Played]:
        """Round by round, `without` those who are known to cheat before it begins."""
        gone = set(without)
        for number in range(rounds):
            here = np.array([client for client in range(self.fleet.clients) if client not in gone])
            heard, worked = self._round(number, here)
            verdicts = trust.hear(heard) if trust is not None else None
            gone |= set(verdicts.accused) if verdicts else set()
            empty = verdicts.empty if verdicts else ()
            used = np.array([client not in gone and client not in empty for client in heard.ids])
            share = np.where(used, heard.claims, 0.0)
            change = share @ heard.updates / max(share.sum(), 1e-12)
            if change.any():  # else nobody took part
                if trust is not None:
                    trust.applied(change)
                self._move(change)
            yield Played(heard, worked, float(self.trainer.accuracy(self.weights)[0]), change, verdicts)

    def _round(self, number: int, here: IntArray) -> tuple[Heard, IntArray]:
        rng = self.rng
        here, claims = self.claims(number, here)
        n = len(here)
        cheating = (number >= self.fleet.begins) & (rng.random(len(self.sizes)) < self.fleet.duty)
        now = np.where(cheating, self.kinds, "honest")[here]
        lead = np.flatnonzero(here == self.leader)
        now[lead] = "honest"
        parts = np.array([WORK[kind] for kind in now])
        worked = np.where(parts > 0, np.maximum((parts * claims).round().astype(int), 1), 0)
        sets = [rng.choice(self.own[client], count, replace=False) for client, count in zip(here, worked, strict=True)]
        updates = self._trained([*sets, self.validation], number)
        updates, own = updates[:n], updates[n]
        self._forge(updates, now, claims, int(lead[0]) if lead.size else None)
        gains = self._gains(updates)
        return Heard(here, claims.astype(float), updates, gains, own), worked

    def claims(self, number: int, here: IntArray) -> tuple[IntArray, IntArray]:
        """Of those who are here, who takes part in this round, and the samples that each claims."""
        drawn = self.sizes * self.rng.uniform(self.fleet.least, 1, len(self.sizes))
        return here, np.maximum(drawn.astype(int), FEWEST)[here]

    def _trained(self, sets: list[IntArray], number: int) -> FloatArray:
        """The updates of all sets, each a federation of its own with one client."""
        width = max(map(len, sets))
        samples = torch.zeros((len(sets), 1, width), dtype=torch.int64)
        for row, one in enumerate(sets):
            samples[row, 0, : len(one)] = torch.from_numpy(one)
        counts = np.array([[len(one)] for one in sets])
        start = {name: values.repeat(len(sets), *[1] * (values.ndim - 1)) for name, values in self.weights.items()}
        seeds = [self.seed * 1000 + place for place in range(len(sets))]
        trained = self.trainer.round(start, samples.to(self.trainer.device), counts, seeds, number)
        return _flat(trained) - _flat(start)

    def _forge(self, updates: FloatArray, now: FloatArray, claims: IntArray, leader: int | None) -> None:
        """Overwrites the cheats' updates. They know, generously, how long an update of their claim usually is."""
        rng, length = self.rng, np.linalg.norm(updates, axis=1)
        honest = np.flatnonzero(now == "honest")
        if len(honest) < 2:  # nothing is usual: cheats send what they have
            return
        line = np.polyfit(np.log(claims[honest]), np.log(length[honest] + 1e-12), 1)
        usual = np.exp(np.polyval(line, np.log(claims)) + 0.1 * rng.standard_normal(len(claims)))
        for i in np.flatnonzero(now != "honest"):
            noise = rng.standard_normal(updates.shape[1])
            kind = str(now[i])
            if kind == "idle":
                updates[i] = 1e-6 * noise  # exact zeros would be too easy
            elif kind == "noise" or (kind == "replay" and self.last is None):
                updates[i] = usual[i] * _unit(noise * (1.0 if self.last is None else np.abs(self.last)))
            elif kind == "replay" and self.last is not None:
                updates[i] = usual[i] * _unit(_unit(self.last) + 0.2 * _unit(noise))
            elif kind == "copy" and leader is not None:
                updates[i] = usual[i] * _unit(_unit(updates[leader]) + 0.1 * _unit(noise))
            elif kind.endswith("_scaled"):
                updates[i] = usual[i] * _unit(updates[i])

    @exact()
    @torch.no_grad()
    def _gains(self, updates: FloatArray) -> FloatArray:
        """Loss by class of the global model on validation data, less that with each update added."""
        trainer = self.trainer
        labels = trainer.task.labels[torch.from_numpy(self.validation).to(trainer.device)]
        images = trainer.task.scale(trainer.task.images[torch.from_numpy(self.validation).to(trainer.device)])
        moved = self._unflat(np.concatenate([np.zeros((1, updates.shape[1])), updates]))
        scores = trainer._scores({name: self.weights[name] + values for name, values in moved.items()}, images)
        R, V, classes = scores.shape
        loss = cross_entropy(scores.reshape(R * V, classes), labels.repeat(R), reduction="none").reshape(R, V)
        by_class = (
            torch.stack([loss[:, labels == c].mean(1) for c in torch.unique(labels).tolist()], 1).double().cpu().numpy()
        )
        return np.asarray(by_class[:1] - by_class[1:])

    def _move(self, change: FloatArray) -> None:
        moved = self._unflat(change[None])
        self.weights = {name: values + moved[name] for name, values in self.weights.items()}
        self.last = change

    def _unflat(self, rows: FloatArray) -> Weights:
        parts = np.split(rows, np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1], axis=1)
        device = self.trainer.device
        return {
            name: torch.tensor(part.reshape(len(rows), *shape), dtype=torch.float32, device=device)
            for name, part, shape in zip(self.weights, parts, self.shapes, strict=True)
        }


def _flat(weights: Weights) -> FloatArray:
    return np.concatenate(
        [values.reshape(len(values), -1).double().cpu().numpy() for values in weights.values()], axis=1
    )


def _unit(vector: Any) -> Any:
    """The direction of a vector."""
    return vector / (np.linalg.norm(vector) + 1e-12)


def _drawn(rng: np.random.Generator, labels: IntArray, pool: IntArray, size: int, skew: float) -> IntArray:
    """That many samples of the pool, their labels in shares drawn from a Dirichlet."""
    classes = int(labels.max()) + 1
    share = rng.dirichlet(np.full(classes, skew)) if np.isfinite(skew) else np.full(classes, 1 / classes)
    chance = share[labels[pool]] / np.maximum(np.bincount(labels[pool], minlength=classes), 1)[labels[pool]] + 1e-9
    return rng.choice(pool, size, replace=False, p=chance / chance.sum())
