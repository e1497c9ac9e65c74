"""Attackers among honest clients, in process: what is sent instead of their replies, and what comes of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict

import lefi
from lefi.books.verdicts import PAID, VERDICTS
from lefi.flower import Incentive, LocalGrid
from lefi.flower.local import FIRST_NODE
from lefi.flower.wire import config_of
from lefi.ledger import Ledger
from lefi.ledger.audit import audit
from tests.flower import toy
from tests.hostile.attacks import Attack

HONEST = 3  # clients; the attackers come after them
Plan = Callable[[str, int, int], Attack | None]  # (type of message, round, attacker) -> what is sent instead


class Arena(LocalGrid):
    """The attackers' replies are replaced by what the plan says; `seen` counts how often."""

    def __init__(self, attackers: int, plan: Plan) -> None:
        super().__init__(toy.app(), HONEST + attackers)
        self.plan, self.seen = plan, 0

    def _deliver(self, message: Message) -> list[Message]:
        attacker = message.metadata.dst_node_id - FIRST_NODE - HONEST
        idle = attacker >= 0 and message.metadata.message_type == "train"
        replies = [_untrained(message)] if idle else super()._deliver(message)
        if attacker < 0:
            return replies
        round: Any = config_of(message).get("server-round", 0)
        attack = self.plan(message.metadata.message_type, int(round), attacker)
        if attack is None:
            return replies
        self.seen += 1
        return [reply for honest in replies for reply in attack(message, honest)]


def _untrained(message: Message) -> Message:
    """What an attacker has at hand that would be accepted: the model as it came, and a claim of one sample."""
    content = RecordDict({name: part for name, part in message.content.items() if isinstance(part, ArrayRecord)})
    content["metrics"] = MetricRecord({"num-examples": 1})
    return Message(content, reply_to=message)


RICH = replace(toy.TERMS, budget=60.0)


class Fixed:
    """The same offer to everybody in every round, within a rich budget: pay depends on nobody else."""

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        n = len(roster)
        return lefi.CurveOffer(np.full(n, 0.5), roster.rate, np.full(n, 4.0))

    def tell(self, receipt: lefi.Receipt) -> None:
        pass


def play(place: Path, plan: Plan, *, attackers: int = 1, rounds: int, mechanism: Any = "waterfill", **more: Any) -> Any:
    """The rows of a job under attack, checked for all that always holds; and how many attacks there were."""
    grid = Arena(attackers, plan)
    with Ledger(place) as ledger:
        terms = RICH if isinstance(mechanism, Fixed) else toy.TERMS
        incentive = Incentive(toy.fedavg(), mechanism, terms=terms, ledger=ledger, penance=0, **more)
        incentive.start(grid, toy.model(), num_rounds=rounds)
        rows = list(ledger.rows())
    found = audit(rows)
    assert not found.findings, found.findings
    assert found.settled == rounds, "the job did not end"
    _check_words(rows)
    _check_pay(rows)
    return rows, grid.seen


def in_turn(kind: str, attacks: Sequence[Attack]) -> Plan:
    """One attack after the other, a round each, on messages of one type."""
    return lambda asked, round, attacker: attacks[round - 1] if asked == kind else None


def silence(asked: Message, honest: Message) -> list[Message]:
    return []


def honest_pay(rows: Iterable[dict[str, Any]]) -> dict[int, dict[str, float]]:
    """What the honest clients were paid, by round and name."""
    names = {f"client-{i}" for i in range(HONEST)}
    result: dict[int, dict[str, float]] = {}
    for row in rows:
        if row["kind"] == "payment" and row["client"] in names:
            result.setdefault(row["round"], {})[row["client"]] = row["payment"]
    return result


def attackers_pay(rows: Iterable[dict[str, Any]]) -> dict[int, float]:
    """What all others were paid, by round."""
    names = {f"client-{i}" for i in range(HONEST)}
    result: dict[int, float] = {}
    for row in rows:
        if row["kind"] == "payment" and row["client"] not in names:
            result[row["round"]] = result.get(row["round"], 0.0) + row["payment"]
    return result


def _check_words(rows: Iterable[dict[str, Any]]) -> None:
    """Verdicts come from the closed list, and what is kept of the attackers' words is short and plain."""
    for row in rows:
        assert row["verdict"] is None or row["verdict"] in VERDICTS
        for text in (row["client"], row["claim"] or ""):
            assert text.isascii()
            assert text.isprintable()
            assert len(text) <= 100


def _check_pay(rows: Sequence[dict[str, Any]]) -> None:
    """Who is paid has an accepted answer in that round."""
    accepted = {(row["round"], row["client"]) for row in rows if row["kind"] == "answer" and row["verdict"] in PAID}
    assert {(row["round"], row["client"]) for row in rows if row["kind"] == "payment"} <= accepted
