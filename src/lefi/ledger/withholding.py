"""Verdicts on work become money: what is held back, released, forfeited and given back, as rows.

held       so much of the payment of that round is not released yet; it was counted against the round's budget
released   it is, when as many rounds are settled as the terms say, or at the end of the job
forfeited  it never will be: a negative amount in the round of its payment, which returns to the job's total only
restored   it is all the same: an appeal was granted
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sqlalchemy import select

from lefi.arrays import number, whole
from lefi.errors import LefiError
from lefi.ledger.aliases import Alias
from lefi.ledger.entries import Row
from lefi.ledger.reader import Reader
from lefi.ledger.schema import INDEXED, log
from lefi.trust.escrow import Client, Escrow

PASSED, FAILED = "passed", "failed"


@dataclass(frozen=True)
class Withholding:
    """What the terms of a job say of it, under `trust`.

    escrow     rounds for which pay is held back
    newcomers  the most that a newcomer is paid in a round, as a share of an equal part of the round's money
    """

    escrow: int = 3
    newcomers: float = 0.5

    def __post_init__(self) -> None:
        whole("escrow", self.escrow, low=0)
        number("newcomers", self.newcomers, above=0)

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Self | None:
        """None where the job holds nothing back."""
        told = noted.get("trust")
        if told is None:
            return None
        try:
            return cls(told["escrow"], told["newcomers"])
        except (TypeError, KeyError):
            raise LefiError(f"the terms of the job are not as they were written: trust {str(told)[:60]!r}") from None


@dataclass(frozen=True)
class Judged:
    """What was found out about the work of a round, by client name."""

    evidence: Mapping[str, str] = field(default_factory=dict)  # the score that speaks loudest, and the log of E
    accused: Mapping[str, str] = field(default_factory=dict)  # and why
    audited: Mapping[str, bool] = field(default_factory=dict)  # True: the work was done

    @property
    def guilty(self) -> dict[str, str]:
        """Who loses what is held, and why. An audit is conclusive."""
        return dict(self.accused) | {name: "an audit failed" for name, passed in self.audited.items() if not passed}


NOTHING = Judged()


def judged_rows(round: int, judged: Judged) -> list[Row]:
    """What was found out about a round, and the orders that follow: who is guilty gets no more offers."""
    about = {"round": round}
    results = {True: PASSED, False: FAILED}
    return [
        *(about | {"kind": "evidence", "client": name, "claim": text} for name, text in judged.evidence.items()),
        *(about | {"kind": "audit", "client": name, "verdict": results[was]} for name, was in judged.audited.items()),
        *(about | {"kind": "accused", "client": name, "claim": why} for name, why in judged.accused.items()),
        *({"round": 0, "kind": "block", "client": name, "claim": why} for name, why in judged.guilty.items()),
    ]


def escrow_rows(
    reader: Reader, rounds: int, round: int, pay: Mapping[str, int], guilty: Iterable[str] = ()
) -> list[Row]:
    """What becomes of the pay of this round and of what is held from the rounds before, when this one is settled."""
    if rounds == 0:
        return []
    escrow = Escrow(rounds, dict(held(reader, range(max(round - rounds, 1), round))))
    escrow.earn(round, pay)
    rows = [_row("held", of, client, units) for (of, client), units in escrow.held.items() if of == round]
    for name in guilty:
        rows += [_row("forfeited", of, client, -units) for (of, client), units in escrow.forfeit(name).items()]
    return rows + [_row("released", of, client, units) for (of, client), units in escrow.due(round).items()]


def release_rows(reader: Reader, rounds: int) -> list[Row]:
    """The job has ended: all that is still held is released."""
    last = reader.settled
    found = held(reader, range(max(last - rounds, 0) + 1, last + 1)) if rounds else {}
    return [_row("released", of, client, units) for (of, client), units in found.items()]


def _row(kind: str, round: int, client: Client, units: int) -> Row:
    return {"round": round, "kind": kind, "client": client, "payment": units}


def held(reader: Reader, rounds: range) -> dict[tuple[int, Client], int]:
    """What is still held of the pay of these rounds, by round and name."""
    kinds = ("held", "released", "forfeited")
    query = select(log.c.round, log.c.client, log.c.kind, log.c.payment).where(
        log.c.job == reader.job, log.c.round.in_(list(rounds)), log.c.kind.in_(kinds), INDEXED
    )
    found: dict[tuple[int, Client], int] = {}
    with reader._reading() as connection:
        names = reader._names(connection)
        rows = connection.execute(query.order_by(log.c.seq)).all()
    for round, alias, kind, units in rows:
        key = (round, names.get(alias, Alias(alias)))
        if kind == "held":
            found[key] = units
        else:
            del found[key]
    return found
