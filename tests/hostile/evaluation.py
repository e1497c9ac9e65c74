"""Clients that evaluate, one of them badly."""

from collections.abc import Sequence
from typing import Any

from flwr.app import Message, MetricRecord, RecordDict

from tests.hostile.arena import Arena
from tests.hostile.attacks import Attack, claims, instead, repeated


def scored(**metrics: Any) -> Attack:
    return instead(lambda: RecordDict({"metrics": MetricRecord(metrics)}))


EVALUATIONS: dict[str, Attack] = {
    "weight 0": claims(0),
    "weight below 0": claims(-1),
    "weight NaN": claims(float("nan")),
    "weight as text": claims("3"),
    "weight of 400 digits": claims(10**400),
    "no metrics": instead(RecordDict),
    "no weight": scored(score=0.1),
    "more metrics": scored(**{"num-examples": 10, "score": 0.5, "zzz": 1.0}),
    "a flood": repeated,
    "silence": lambda asked, honest: [],
}


class Judging(Arena):
    """The honest clients score 0.5; the attacker answers as the round says."""

    def __init__(self, attacks: Sequence[Attack]) -> None:
        super().__init__(1, lambda kind, round, attacker: attacks[round - 1] if kind == "evaluate" else None)

        @self.app.evaluate()
        def evaluate(message: Message, context: Any) -> Message:
            content = RecordDict({"metrics": MetricRecord({"num-examples": 10, "score": 0.5})})
            return Message(content, reply_to=message)
