"""The trust layer of a job: hears every round, accuses, and says why."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, number
from lefi.trust.features import PAST, Heard, Layout, features
from lefi.trust.martingale import log_evidence
from lefi.trust.reference import Reference
from lefi.trust.scores import NAMES, Features

MOST_ACCUSED = 0.5  # of the clients ever heard: a majority of cheaters makes honest clients look odd

HALF = "half of the clients are accused: if most of them cheat, honest ones look odd, and nobody else is accused"


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
    _scores: dict[int, tuple[bytes, FloatArray, FloatArray]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        number("alpha", self.alpha, above=0, high=0.5)

    def hear(self, heard: Heard) -> Verdicts:
        """Evidence after this round. Who is accused is no measure of the others, in no round; they are judged again."""
        accused = [int(client) for client in heard.ids[heard.broken] if int(client) not in self.excluded]
        kept = heard.without(heard.broken)
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
        final: dict[int, float] = {}
        told, worst, looks = self._evidence()
        while told and len(self.excluded) < MOST_ACCUSED * len(everybody):
            client = max(told, key=lambda one: told[one])
            if told[client] < np.log(1 / self.alpha):
                break
            final[client] = told[client]
            accused.append(client)
            self.excluded.add(client)
            told, which, sizes = self._evidence()
            worst, looks = worst | which, looks | sizes
        full = HALF if told and max(told.values()) >= np.log(1 / self.alpha) else None
        return Verdicts(accused, told | final, worst, looks, full)

    def _evidence(self) -> tuple[dict[int, float], dict[int, str], dict[int, float]]:
        """Of everybody who is not excluded, relative to the others who are not."""
        paths: dict[int, list[FloatArray]] = {}
        looks: dict[int, float] = {}
        for t, (ids, found) in enumerate(self.rounds):
            here = np.array([client not in self.excluded for client in ids])
            if here.sum() < 2:
                continue
            scores, sizes = self._scored(t, here, found)
            for client, row, size in zip(np.array(ids)[here].tolist(), scores, sizes, strict=True):
                paths.setdefault(client, []).append(row)
                looks[client] = float(size)
        return *self._weighed(paths), looks

    def _scored(self, t: int, here: BoolArray, found: Features) -> tuple[FloatArray, FloatArray]:
        """Scores of those who are here, and the sizes they look like; kept until somebody else leaves."""
        key, scores, sizes = self._scores.get(t, (b"", np.zeros(0), np.zeros(0)))
        if key != here.tobytes():
            part = {name: values[here] for name, values in found.items()}
            scores = self.reference.scaled(part, t)
            scale = self.reference.scales[min(t, len(self.reference.scales) - 1), 0]
            sizes = np.exp(scores[:, 0] * scale + part["claim"])
            self._scores[t] = here.tobytes(), scores, sizes
        return scores, sizes

    def _weighed(self, paths: dict[int, list[FloatArray]]) -> tuple[dict[int, float], dict[int, str]]:
        """Log evidence of each client, and the score behind it; clients with equally many rounds together."""
        told, worst = {}, {}
        for length in {len(rows) for rows in paths.values()}:
            clients = [client for client, rows in paths.items() if len(rows) == length]
            z = np.array([paths[client] for client in clients])
            each = np.array([log_evidence(z[:, :, place], one) for place, one in enumerate(self.reference.spreads)])
            for client, column in zip(clients, each.T, strict=True):
                top = int(column.argmax())
                told[client] = float(column[top] - np.log(len(NAMES)))  # the largest of several: a union bound
                worst[client] = NAMES[top]
        return told, worst
