"""The ledger of one job: promises before anything is sent, payments when a round closes, receipts for a restart.

Two transactions a round (three with pledges): a kill leaves either the whole of each or nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from lefi.errors import LefiError
from lefi.ledger.chain import START, link
from lefi.ledger.database import clear_errors, connect, open_engine, read_url
from lefi.ledger.entries import Answer, Promise, Row, promise_of, receipt_of
from lefi.ledger.locks import lock
from lefi.ledger.schema import COLUMNS, FLOATS, entries
from lefi.ledger.terms import Purse, differences, read
from lefi.messages import Receipt


class Ledger:
    """Append-only rows of one job in SQLite (a path or sqlite:///file) or PostgreSQL (postgresql://...)."""

    def __init__(self, location: str | Path, job: str = "job", *, create: bool = True) -> None:
        self.url, self.job = read_url(location), job
        self._engine = open_engine(self.url)
        self._connection = connect(self._engine, create)
        self._head: tuple[int, str] | None = None  # known once this process has written

    def begin(self, terms: Mapping[str, Any]) -> None:
        """Start writing: note the terms of a new job, or refuse when a started one has others."""
        lock(self._connection, self.job)
        noted, asked = self.noted(), json.loads(json.dumps(terms, sort_keys=True, allow_nan=False))
        if noted is None:
            self._append([{"round": 0, "kind": "job", "terms": json.dumps(asked)}])
        elif changed := differences(noted, asked):
            told = "; ".join(changed)
            raise LefiError(f"job {self.job!r} of this ledger was begun with {told}: use another job name")

    def noted(self) -> dict[str, Any] | None:
        """The terms that the job was begun with; None before it."""
        with self._reading() as connection:
            text = connection.scalar(select(entries.c.terms).where(self._mine, entries.c.kind == "job"))
        return None if text is None else read(text)

    @property
    def settled(self) -> int:
        """The last round that was paid; 0 before the first."""
        last = select(func.max(entries.c.round)).where(self._mine, entries.c.kind == "round")
        with self._reading() as connection:
            return connection.scalar(last) or 0

    def pending(self) -> Promise | None:
        """The promise of a round that was begun and not settled: it stands."""
        settled = self.settled
        rows = [row for row in self.rows(after=settled) if row["kind"] != "job"]
        return promise_of(rows) if rows else None

    def receipts(self) -> Iterator[Receipt]:
        """Settled rounds in order, one in memory at a time; telling them again restores a mechanism."""
        return (receipt for _, receipt in self.rounds())

    def rounds(self) -> Iterator[tuple[Promise, Receipt]]:
        """What was promised and what came of it, settled rounds in order."""
        settled, purse = self.settled, Purse.of(self.noted() or {})
        for round, group in groupby(self.rows(after=0), key=lambda row: row["round"]):
            if round <= settled:
                rows = list(group)
                receipt = receipt_of(rows, purse.next() or None if purse else None)
                if purse:
                    purse.pay(receipt.paid)
                yield promise_of(rows), receipt

    def jobs(self) -> list[str]:
        """Names of all jobs in this database."""
        with self._reading() as connection:
            return list(connection.scalars(select(entries.c.job).distinct().order_by(entries.c.job)))

    def rows(self, after: int = -1) -> Iterator[Row]:
        """All rows of rounds after that one, in the order of writing."""
        query = select(entries).where(self._mine, entries.c.round > after).order_by(entries.c.seq)
        with self._reading() as connection:
            for row in connection.execute(query, execution_options={"yield_per": 1000}).mappings():
                yield dict(row)

    def promise(self, promise: Promise) -> None:
        """Write down what every client is about to be offered."""
        offer, roster = promise.offer, promise.roster
        columns = zip(promise.names, roster.iid, offer.rate, offer.weight, offer.limit, strict=True)
        self._append(
            {"round": promise.round, "kind": "offer", "client": name}
            | {"iid": iid, "rate": rate, "weight": weight, "limit": limit}
            for name, iid, rate, weight, limit in columns
        )

    def commit(self, promise: Promise, pledges: Sequence[Answer], refused: Sequence[Answer]) -> None:
        """Write down what the clients pledged, and the re-scaled offers that bind the server."""
        binding = promise.binding
        self._append(
            [_answer_row(promise.round, "pledge", pledge) for pledge in pledges]
            + [_answer_row(promise.round, "answer", answer) for answer in refused]
            + [
                {"round": promise.round, "kind": "commitment", "client": name, "weight": weight, "limit": limit}
                for name, weight, limit in zip(promise.names, binding.weight, binding.limit, strict=True)
                if limit > 0
            ]
        )

    def settle(
        self, names: Sequence[str], receipt: Receipt, answers: Sequence[Answer], faults: Mapping[str, str] | None = None
    ) -> None:
        """Pay a round and close it, in one transaction. `faults`: what went wrong on the server's side, by part."""
        paid = zip(names, receipt.payments, strict=True)
        self._append(
            [_answer_row(receipt.round, "answer", answer) for answer in answers]
            + [
                {"round": receipt.round, "kind": "payment", "client": name, "payment": payment}
                for name, payment in paid
                if payment > 0
            ]
            + [_fault_row(receipt.round, part, what) for part, what in (faults or {}).items()]
            + [{"round": receipt.round, "kind": "round", "payment": receipt.paid, "accuracy": receipt.accuracy}]
        )

    def fault(self, round: int, part: str, what: str) -> None:
        """Note what went wrong after a round was closed, once."""
        row = _fault_row(round, part, what)
        if not any(known["kind"] == row["kind"] for known in self.rows(after=round - 1) if known["round"] == round):
            self._append([row])

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _mine(self) -> Any:
        return entries.c.job == self.job

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with (
            clear_errors(self.url),
            self._engine.connect() as connection,
            connection.execution_options(reading=True).begin(),
        ):
            yield connection

    def _append(self, rows: Any) -> None:
        """Chain the rows to the last one and commit them all or none."""
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        try:
            with clear_errors(self.url), self._connection.begin():
                seq, previous = self._head or self._read_head()
                complete = []
                for row in rows:
                    seq += 1
                    complete.append(_complete(row) | {"job": self.job, "seq": seq, "at": at})
                    complete[-1]["hash"] = previous = link(previous, complete[-1])
                self._connection.execute(insert(entries), complete)
        except IntegrityError:
            raise LefiError(f"another server writes to job {self.job!r} of this ledger; this one stops") from None
        self._head = (seq, previous)

    def _read_head(self) -> tuple[int, str]:
        last = select(entries.c.seq, entries.c.hash).where(self._mine).order_by(entries.c.seq.desc()).limit(1)
        row = self._connection.execute(last).first()
        return (row[0], row[1]) if row else (0, START)


def _answer_row(round: int, kind: str, answer: Answer) -> Row:
    return {
        "round": round,
        "kind": kind,
        "client": answer.client,
        "claim": answer.claim,
        "verdict": answer.verdict,
        "size": answer.size,
    }


def _fault_row(round: int, part: str, what: str) -> Row:
    return {"round": round, "kind": f"{part} fault", "claim": what, "verdict": "failed"}


def _complete(row: Row) -> Row:
    """The row with every column: plain floats, None for NaN (databases disagree on NaN), no negative zero."""
    full: Row = {name: row.get(name) for name in COLUMNS} | {"client": row.get("client", "")}
    for name in FLOATS:
        if full[name] is not None:
            value = float(full[name]) + 0.0
            full[name] = value if value == value else None
    return full
