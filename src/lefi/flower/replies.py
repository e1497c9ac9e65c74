"""From Flower's replies to answers: one per promised client, and the refused ones besides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from flwr.app import ArrayRecord, Message, MetricRecord

from lefi.arrays import FloatArray
from lefi.flower.verdicts import ACCEPTED, CAPPED, DUPLICATE, LATE, MALFORMED, MISSING, UNKNOWN, judge
from lefi.flower.wire import CLAIM, to_samples
from lefi.ledger import Answer, Promise

R = TypeVar("R", ArrayRecord, MetricRecord)


@dataclass(frozen=True)
class Heard:
    """What came back to a round."""

    answers: list[Answer]  # one per promised client, in the order of the roster
    refused: list[Answer]
    counted: list[Message]  # to be aggregated, in the order of the roster: sums must not depend on who was faster
    failures: list[Message]

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

    def hear(self, replies: Iterable[Message], key: str = CLAIM) -> Heard:
        first: dict[int, tuple[Answer, Message]] = {}
        refused: list[Answer] = []
        failures: list[Message] = []
        for reply in replies:
            if reply.has_error():
                failures.append(reply)
                continue
            node, claim = reply.metadata.src_node_id, claim_of(reply, key)
            name = self.names.get(node, f"node-{node}")
            wrong = self._stray(reply, first)
            if wrong:
                refused.append(Answer(name, repr(claim)[:100], wrong, None))
            else:
                position = self.sent[node][0]
                first[position] = (self._judged(reply, name, claim, position), reply)
        answers = [first[i][0] if i in first else self._unasked(i) for i in range(len(self.promise.names))]
        counted = [_weighted(*first[i], key) for i in sorted(first) if _counts(first[i][0])]
        refused.sort(key=lambda answer: (answer.client, answer.verdict, answer.claim or ""))
        return Heard(answers, refused, counted, failures)

    def _stray(self, reply: Message, first: Mapping[int, object]) -> str | None:
        """Why a reply does not belong here; None where it does."""
        node = reply.metadata.src_node_id
        if node not in self.names:
            return UNKNOWN
        if node not in self.sent or reply.metadata.reply_to_message_id != self.sent[node][1].metadata.message_id:
            return LATE
        return DUPLICATE if self.sent[node][0] in first else None

    def _judged(self, reply: Message, name: str, claim: object, position: int) -> Answer:
        binding = self.promise.binding
        answer = judge(name, claim, float(binding.limit[position]), self.size_high)
        if (
            _counts(answer)
            and reply.metadata.message_type.startswith("train")
            and len(_records(reply, ArrayRecord)) != 1
        ):
            return Answer(name, answer.claim, MALFORMED, None)
        return answer

    def _unasked(self, position: int) -> Answer:
        """A client without a reply: in a two-phase round a pledge of 0 is its answer."""
        name, pledges = self.promise.names[position], self.promise.pledges
        if pledges is not None and pledges[position] == 0:
            return Answer(name, "0", ACCEPTED, 0.0)
        return Answer(name, None, MISSING, None)


def claim_of(reply: Message, key: str) -> object:
    """The claimed number of samples, or None where the reply is not of Flower's shape."""
    metrics = _records(reply, MetricRecord)
    return metrics[0].get(key) if len(metrics) == 1 else None


def _records(reply: Message, kind: type[R]) -> list[R]:
    return [part for part in reply.content.values() if isinstance(part, kind)]


def _counts(answer: Answer) -> bool:
    return answer.size is not None and to_samples(answer.size) > 0


def _weighted(answer: Answer, reply: Message, key: str) -> Message:
    """The reply, with the weight in the average cut to what was paid for."""
    if answer.verdict == CAPPED and answer.size is not None:
        _records(reply, MetricRecord)[0][key] = to_samples(answer.size)
    return reply
