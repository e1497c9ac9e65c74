"""The trust layer of a job: hears every round, accuses, and says why."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray, number
from lefi.trust.features import PAST, Heard, Layout, features
from lefi.trust.martingale import log_evidences
from lefi.trust.reference import Reference
from lefi.trust.scores import NAMES, Features

MOST = 0.5  # of the clients ever heard: where so many are odd, most of them cheat, or the job is another
ODD = 0.5  # of the evidence that accuses, by the reference alone: all of it came a round late for some majorities
FEW = 0.1  # of them: honest clients that cheats' models make odd are so in scores in which few are; majorities are many
MAJORITY = (
    "half of the clients or more are odd beside the reference: most of them cheat, or the job is unlike its jobs; "
    "nobody is accused any more, and who was before may be honest"
)

Scored = tuple[list[int], FloatArray, dict[int, float]]
NOBODY: Scored = ([], np.zeros((0, 2 * len(NAMES))), {})


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
    empty: tuple[int, ...] = ()  # updates that change nothing: averaged in they would only shorten the step


class Evidence(NamedTuple):
    """Of everybody who is not excluded."""

    told: dict[int, float]  # log of E
    worst: dict[int, str]
    odd: dict[str, set[int]]  # by the reference alone, by score
    looks: dict[int, float]


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
    _odd: dict[str, set[int]] = field(default_factory=dict, init=False)
    _scores: dict[int, tuple[frozenset[int] | None, Scored]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        number("alpha", self.alpha, above=0, high=0.5)
        for last in range(1, len(self.rounds) + 1):  # a job that goes on
            self._remember(self._evidence(last).odd)

    def hear(self, heard: Heard) -> Verdicts:
        """Evidence after this round. Who is accused is no measure of the others, in no round; they are judged again.

        Who is `empty` is told from the first round on. That is no accusation: it is weighed as everybody else.
        """
        return self._heard(heard)._replace(empty=tuple(heard.ids[heard.empty].tolist()))

    def _heard(self, heard: Heard) -> Verdicts:
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
        told, worst, odd, looks = self._evidence()
        self._remember(odd)
        if self._most():
            return Verdicts(accused, told, worst, looks, MAJORITY)
        final: dict[int, float] = {}
        while told:
            client = max(told, key=told.__getitem__)
            if told[client] < np.log(1 / self.alpha) or self._most():
                break
            final[client] = told[client]
            self.excluded.add(client)
            told, which, _, sizes = self._evidence()
            worst, looks = worst | which, looks | sizes
        accused += self._confirmed(list(final))
        return Verdicts(accused, told | final, worst, looks)

    def _remember(self, odd: dict[str, set[int]]) -> None:
        for name, clients in odd.items():
            self._odd[name] = self._odd.get(name, set()) | clients

    def _most(self) -> bool:
        """Whether as many are accused, or were ever odd by the reference alone, as cannot be where most are honest."""
        everybody = set[int]().union(*(ids for ids, _ in self.rounds))
        left = [who - self.excluded for who in self._odd.values()]
        odd = self.excluded.union(*(who for who in left if len(who) > FEW * len(everybody)))
        return len(everybody & odd) >= MOST * len(everybody)

    def _confirmed(self, clients: list[int]) -> list[int]:
        """Who stays accused where none of the other accused is there: cheats blur what is usual until they are gone."""
        found = []
        for client in clients if len(clients) > 1 else []:
            self.excluded.remove(client)
            if self._evidence().told.get(client, 0.0) >= np.log(1 / self.alpha):
                self.excluded.add(client)
                found.append(client)
        return found if len(clients) > 1 else clients

    def _evidence(self, last: int | None = None) -> Evidence:
        """Of everybody who is not excluded, relative to the others who are not. After all rounds, or the first ones."""
        excluded = frozenset(self.excluded)
        scored = [self._scored(t, excluded) for t in range(len(self.rounds))[:last]]
        looks = dict[int, float]()
        for _, _, sizes in scored:
            looks |= sizes
        everybody = np.array(sorted(looks), dtype=int)
        if all(len(ids) == len(everybody) for ids, _, _ in scored):
            return Evidence(*self._weighed(everybody, np.array([scores for _, scores, _ in scored])), looks)
        paths = np.full((len(scored), len(everybody), 2 * len(NAMES)), np.nan)
        for t, (ids, scores, _) in enumerate(scored):
            paths[t, np.searchsorted(everybody, ids)] = scores
        return Evidence(*self._weighed(everybody, paths), looks)

    def _scored(self, t: int, excluded: frozenset[int]) -> Scored:
        """Those who are here in order, their scores, and the sizes they look like; kept until somebody else leaves."""
        key, scored = self._scores.get(t, (None, NOBODY))
        if key != excluded:
            ids, found = self.rounds[t]
            here = [place for place, client in enumerate(ids) if client not in excluded]
            scored = NOBODY
            if len(here) >= 2:
                left = {name: values[here] for name, values in found.items()} if excluded else found
                scores, alone, sizes = self.reference.scaled(left, t)
                who = [ids[place] for place in here]
                order = sorted(range(len(who)), key=who.__getitem__)
                looks = dict(zip(who, sizes.tolist(), strict=True))
                scored = sorted(who), np.hstack([scores, alone])[order], looks
            self._scores[t] = excluded, scored
        return scored

    def _weighed(
        self, everybody: IntArray, paths: FloatArray
    ) -> tuple[dict[int, float], dict[int, str], dict[str, set[int]]]:
        """Log evidence of each client, the score behind it, and who is odd by the reference alone, by score."""
        told, worst, odd = dict[int, float](), dict[int, str](), dict[str, set[int]]()
        there = ~np.isnan(paths[:, :, 0])
        counts = there.sum(axis=0)
        for length in sorted({*counts.tolist()} - {0}):  # clients with equally many rounds together
            who, z = counts == length, paths
            if not there.all():
                first = np.argsort(~there[:, who], axis=0, kind="stable")[:length]  # the rounds in which each was there
                z = np.take_along_axis(paths[:, who], first[:, :, None], axis=0)
            z = z.reshape(length, -1, 2, len(NAMES)).transpose(3, 0, 2, 1)  # scores, rounds, sides, clients
            each = log_evidences(z.reshape(len(NAMES), length, -1), self.reference.spreads) - np.log(len(NAMES))
            most = each.max(axis=0)  # of several scores the largest counts: a union bound
            clients = everybody[who]
            n = len(clients)
            told |= dict(zip(clients.tolist(), most[:n].tolist(), strict=True))
            tops = each[:, :n].argmax(axis=0).tolist()
            worst |= {client: NAMES[top] for client, top in zip(clients.tolist(), tops, strict=True)}
            beyond = each[:, n:] >= np.log(ODD / self.alpha)
            for place in np.flatnonzero(beyond.any(axis=1)).tolist():
                odd[NAMES[place]] = odd.get(NAMES[place], set()) | {*clients[beyond[place]].tolist()}
        return told, worst, odd
