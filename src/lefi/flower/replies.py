"""From Flower's replies to answers: one per promised client, and the refused ones besides."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from flwr.app import Message, MetricRecord
from flwr.serverapp.strategy import Strategy

from lefi.arrays import FloatArray
from lefi.books.samples import to_samples
from lefi.books.verdicts import ACCEPTED, CAPPED, DUPLICATE, LATE, MISSING, UNKNOWN, judge, quoted
from lefi.flower.checks import alike, claim_of, contents, records, short, trained
from lefi.flower.received import Model
from lefi.flower.wire import CLAIM
from lefi.ledger import Answer, Promise

REFUSED = 10  # refused answers of one name that are written down in a round; a flood must not fill the disk
STRANGERS = 100  # and those of nodes without a name, all together


@dataclass(frozen=True)
class Heard:
    """What came back to a round."""

    answers: list[Answer]  # one per promised client, in the order of the roster
    refused: list[Answer]
    counted: list[Message]  # to be aggregated, in the order of the roster: sums must not depend on who was faster
    failures: list[Message]

    @property
    def counting(self) -> list[Answer]:
        """The answers behind `counted`."""
        return [answer for answer in self.answers if _counts(answer)]

    @property
    def sizes(self) -> FloatArray:
        return np.array([np.nan if answer.size is None else answer.size for answer in self.answers])


@dataclass(frozen=True)
class Mail:
    """Messages that are out: which node stands where on the roster, and to which message it must reply.

    A missing answer is one that was asked for and did not come; Flower's error replies do not always say from whom.
    """

    promise: Promise
    size_high: float
    sent: Mapping[int, tuple[int, Message]]  # node -> (position, message); the grid fills in the message's id
    names: Mapping[int, str]
    models: Mapping[int, Model] = field(default_factory=dict)  # node -> what an update looks like; none for pledges
    required: Sequence[str] = ()  # metrics that a reply must bring
    longest: float = float("inf")  # seconds after which a reply is late

    def hear(self, replies: Iterable[Message], key: str = CLAIM, seconds: Mapping[str, float] | None = None) -> Heard:
        """`seconds`: when each reply came, by the message that it answers."""
        first: dict[int, tuple[Answer, Message]] = {}
        refused: list[Answer] = []
        failures: list[Message] = []
        for reply in replies:
            if reply.has_error():
                failures.append(short(reply))
                continue
            node = reply.metadata.src_node_id
            name = self.names.get(node, f"node-{node}")
            if wrong := self._stray(reply, first):
                refused.append(Answer(name, self._words(reply, key), wrong, None))
            else:
                position = self.sent[node][0]
                late = (seconds or {}).get(reply.metadata.reply_to_message_id, 0.0) > self.longest
                first[position] = (self._judged(reply, name, key, late), reply)
        answers = [first[i][0] if i in first else self._unasked(i) for i in range(len(self.promise.names))]
        counted = [_weighted(*first[i], key) for i in sorted(first) if _counts(first[i][0])]
        if self.models:
            alike(counted)
        return Heard(answers, _bounded(refused, set(self.names.values())), counted, failures)

    def _stray(self, reply: Message, first: Mapping[int, object]) -> str | None:
        """Why a reply does not belong here; None where it does."""
        node = reply.metadata.src_node_id
        if node not in self.names:
            return UNKNOWN
        if node not in self.sent or reply.metadata.reply_to_message_id != self.sent[node][1].metadata.message_id:
            return LATE
        return DUPLICATE if self.sent[node][0] in first else None

    def _judged(self, reply: Message, name: str, key: str, late: bool) -> Answer:
        if late:
            return Answer(name, self._words(reply, key), LATE, None)
        content, node = contents(reply), reply.metadata.src_node_id
        if isinstance(content, str):
            return Answer(name, None, content, None)
        limit = float(self.promise.most[self.sent[node][0]])
        answer = judge(name, claim_of(content, key), limit, self.size_high)
        if _counts(answer) and node in self.models and (wrong := trained(content, self.models[node], self.required)):
            return Answer(name, answer.claim, wrong, None)
        return answer

    def _words(self, reply: Message, key: str) -> str | None:
        content = contents(reply)
        return None if isinstance(content, str) else quoted(claim_of(content, key))

    def _unasked(self, position: int) -> Answer:
        """A client without a reply: in a two-phase round a pledge of 0 is its answer."""
        name, pledges = self.promise.names[position], self.promise.pledges
        if pledges is not None and pledges[position] == 0:
            return Answer(name, "0", ACCEPTED, 0.0)
        return Answer(name, None, MISSING, None)


def _bounded(refused: list[Answer], known: set[str]) -> list[Answer]:
    """The refused answers in a fixed order, a few of each name."""
    refused.sort(key=lambda answer: (answer.client, answer.verdict, answer.claim or ""))
    seen: Counter[str] = Counter()
    kept = []
    for answer in refused:
        whose, most = (answer.client, REFUSED) if answer.client in known else ("", STRANGERS)
        seen[whose] += 1
        if seen[whose] <= most:
            kept.append(answer)
    return kept


def _counts(answer: Answer) -> bool:
    return answer.size is not None and to_samples(answer.size) > 0


def _weighted(answer: Answer, reply: Message, key: str) -> Message:
    """The reply, with the weight in the average cut to what was paid for."""
    if answer.verdict == CAPPED and answer.size is not None:
        records(reply.content, MetricRecord)[0][key] = to_samples(answer.size)
    return reply


def weight_key(strategy: Strategy) -> str:
    """The metric by which a strategy, or the one inside it, weighs its clients."""
    inner: object = strategy
    while not hasattr(inner, "weighted_by_key") and hasattr(inner, "strategy"):
        inner = inner.strategy
    return str(getattr(inner, "weighted_by_key", CLAIM))
