"""The trust layer of a job: hears every round, accuses, and says why."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray, number
from lefi.trust.features import PAST, Heard, Layout, features
from lefi.trust.martingale import log_evidences
from lefi.trust.reference import Reference
from lefi.trust.scores import NAMES, Features

MOST_ACCUSED = 0.5  # of the clients ever heard: a majority of cheaters makes honest clients look odd

MOST_STRANGE = 0.5  # of the clients of a round that are unlike any of the reference

HALF = "half of the clients are accused: if most of them cheat, honest ones look odd, and nobody else is accused"


MAJORITY = (
    "half of the clients or more are unlike all of the reference: most of them cheat, or the job is unlike its jobs; "
    "nobody is accused"
)

Scored = tuple[IntArray, FloatArray, FloatArray]


class Verdicts(NamedTuple):
    """Of one round. `evidence` is the log of E over all rounds so far, by client; accused at log(1 / alpha).

    >>> from lefi.trust import Verdicts
    >>> verdicts = Verdicts(accused=[3], evidence={3: 5.2}, score={3: "size"}, looks={3: 0.1})
    >>> [f"client {client}: by its {verdicts.score[client]}" for client in verdicts.accused]
    ['client 3: by its size']
    """

    accused: list[int]  # in this round
    evidence: dict[int, float]
    score: dict[int, str]  # the score that speaks loudest against each
    looks: dict[int, float]  # the size that the update looks like, in the unit of the claims
    silent: str | None = None  # why nobody was judged


@dataclass(eq=False)
class Trust:
    """Call `hear` once a round, then `applied` with the change of the global model that came of it.

    >>> from lefi.trust import Heard, Reference, Trust, layout_of
    >>> reference = Reference.read("digits")
    >>> size = reference.about["weights"]
    >>> trust = Trust(reference, layout_of([np.zeros((1, size))]))
    >>> rng = np.random.default_rng(0)
    >>> updates = rng.normal(size=(8, size))
    >>> heard = Heard(np.arange(8), np.full(8, 50.0), updates, gains=np.zeros((8, 10)), own=updates.mean(axis=0))
    >>> trust.hear(heard).silent
    'the first round: there is no change of the global model to compare with'
    """

    reference: Reference
    layout: Layout
    alpha: float = 0.01
    excluded: set[int] = field(default_factory=set)
    past: list[FloatArray] = field(default_factory=list)
    rounds: list[tuple[list[int], Features]] = field(default_factory=list)
    _strange: dict[int, BoolArray] = field(default_factory=dict, init=False)
    _scores: dict[int, tuple[frozenset[int] | None, Scored | None]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        number("alpha", self.alpha, above=0, high=0.5)

    def hear(self, heard: Heard) -> Verdicts:
        """Evidence after this round. Who is accused is no measure of the others, in no round; they are judged again."""
        accused = [int(client) for client in heard.ids[heard.broken] if int(client) not in self.excluded]
        kept = heard.without(heard.broken) if heard.broken.any() else heard
        silent = self.reference.refuse(heard.updates.shape[1], kept.claims)
        if not self.past:
            silent = silent or "the first round: there is no change of the global model to compare with"
        if silent:
            self.excluded |= set(accused)
            return Verdicts(accused, {}, {}, {}, silent)
        self.excluded |= set(accused)
        return self.weigh(kept.ids.tolist(), features(kept, np.array(self.past), self.layout), accused)

    def weigh(self, ids: list[int], found: Features, accused: list[int] | None = None) -> Verdicts:
        """The verdicts after a round of which the features are known. Who was accused before does not count."""
        self.rounds.append((ids, found))
        return self._judge(accused or [])

    def applied(self, change: FloatArray) -> None:
        """The change of the global model that this round ended with."""
        self.past = [*self.past, np.asarray(change, float)][-PAST:]

    def _judge(self, accused: list[int]) -> Verdicts:
        """Step down: the worst is accused, then the rest are judged against each other without it."""
        everybody = {client for ids, _ in self.rounds for client in ids}
        told, worst, looks = self._evidence()
        if self._odd(len(self.rounds) - 1, self._here(self.rounds[-1][0])):
            return Verdicts(accused, told, worst, looks, MAJORITY)
        final: dict[int, float] = {}
        while told and len(self.excluded) < MOST_ACCUSED * len(everybody):
            client = max(told, key=lambda one: told[one])
            if told[client] < np.log(1 / self.alpha):
                break
            final[client] = told[client]
            self.excluded.add(client)
            told, which, sizes = self._evidence()
            worst, looks = worst | which, looks | sizes
        accused += self._confirmed(list(final))
        full = HALF if told and max(told.values()) >= np.log(1 / self.alpha) else None
        return Verdicts(accused, told | final, worst, looks, full)

    def _confirmed(self, clients: list[int]) -> list[int]:
        """Who stays accused where none of the other accused is there: cheats blur what is usual until they are gone."""
        found = []
        for client in clients if len(clients) > 1 else []:
            self.excluded.remove(client)
            if self._evidence()[0].get(client, 0.0) >= np.log(1 / self.alpha):
                self.excluded.add(client)
                found.append(client)
        return found if len(clients) > 1 else clients

    def _evidence(self) -> tuple[dict[int, float], dict[int, str], dict[int, float]]:
        """Of everybody who is not excluded, relative to the others who are not."""
        excluded = frozenset(self.excluded)
        everybody = np.array(sorted(set[int]().union(*(ids for ids, _ in self.rounds)) - excluded))
        paths = np.full((len(self.rounds), len(everybody), len(NAMES)), np.nan)
        looks = np.full(len(everybody), np.nan)
        for t in range(len(self.rounds)):
            if (scored := self._scored(t, excluded)) is not None:
                ids, scores, sizes = scored
                places = slice(None) if len(ids) == len(everybody) else np.searchsorted(everybody, ids)
                paths[t, places], looks[places] = scores, sizes
        seen = {client: size for client, size in zip(everybody.tolist(), looks.tolist(), strict=True) if size == size}
        return *self._weighed(everybody, paths), seen

    def _here(self, ids: list[int]) -> BoolArray:
        if not self.excluded:
            return np.ones(len(ids), bool)
        return np.array([client not in self.excluded for client in ids], bool)

    def _odd(self, t: int, here: BoolArray) -> bool:
        """Whether half of those who are left in a round or more are unlike any honest client: it tells nothing."""
        if t not in self._strange:
            self._strange[t] = self.reference.strange(self.rounds[t][1], t)
        return bool(here.any() and self._strange[t][here].mean() >= MOST_STRANGE)

    def _scored(self, t: int, excluded: frozenset[int]) -> Scored | None:
        """Those who are here in order, their scores, and the sizes they look like; kept until somebody else leaves."""
        key, scored = self._scores.get(t, (None, None))
        if key != excluded:
            ids, found = self.rounds[t]
            here = self._here(ids)
            scored = None
            if here.sum() >= 2 and not self._odd(t, here):
                scores, sizes = self.reference.scaled({name: values[here] for name, values in found.items()}, t)
                who = np.array(ids)[here]
                order = np.argsort(who)
                scored = who[order], scores[order], sizes[order]
            self._scores[t] = excluded, scored
        return scored

    def _weighed(self, everybody: IntArray, paths: FloatArray) -> tuple[dict[int, float], dict[int, str]]:
        """Log evidence of each client, and the score behind it; clients with equally many rounds together."""
        told, worst = {}, {}
        there = ~np.isnan(paths[:, :, 0])
        counts = there.sum(axis=0)
        for length in np.unique(counts[counts > 0]).tolist():
            who = counts == length
            first = np.argsort(~there[:, who], axis=0, kind="stable")[:length]  # the rounds in which each was there
            z = np.take_along_axis(paths[:, who], first[:, :, None], axis=0)
            each = log_evidences(z.transpose(2, 1, 0), self.reference.spreads)
            for client, column in zip(everybody[who].tolist(), each.T, strict=True):
                top = int(column.argmax())
                told[client] = float(column[top] - np.log(len(NAMES)))  # the largest of several: a union bound
                worst[client] = NAMES[top]
        return told, worst
