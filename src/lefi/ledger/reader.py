"""Reading a ledger: rows with names, heads, and the rounds that rows make. Nothing in here writes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, func, select

from lefi.ledger.database import clear_errors, connect, open_engine, read_url, shown
from lefi.ledger.entries import Promise, Row, promise_of, receipt_of
from lefi.ledger.heads import Head
from lefi.ledger.money import Money
from lefi.ledger.orders import Orders, orders_of
from lefi.ledger.schema import CLOSED, COLUMNS, EARNED, INDEXED, ORDERED, WAITING, directory, entries, heads, log
from lefi.ledger.terms import Purse, in_force, read, returned
from lefi.messages import Receipt

PLAYED = ("call", "offer", "pledge", "commitment", "answer", "payment", "round")  # rows that make a round
BATCH = 1000  # rows that are fetched at once


def earned(balance: Mapping[str, int]) -> int:
    """Payments less what was taken back or forfeited, from the balance of a client."""
    return sum(balance[kind] for kind in EARNED)


def due(balance: Mapping[str, int]) -> int:
    """What may be paid out: earned, not paid out yet, and not held back."""
    return earned(balance) - balance["payout"] - waiting(balance)


def waiting(balance: Mapping[str, int]) -> int:
    """What is held back."""
    return balance["held"] - balance["released"] + balance["forfeited"]


class Reader:
    """The rows of one job, in SQLite (a path or sqlite:///file) or PostgreSQL (postgresql://...)."""

    def __init__(self, location: str | Path, job: str, *, create: bool, reading: bool) -> None:
        self.url, self.job = read_url(location), job
        self._noted: dict[str, dict[str, Any] | None] = {}
        self._engine = open_engine(self.url, reading)
        self._connection = connect(self._engine, self.url, create, reading)

    def of(self, job: str) -> Self:
        """The same ledger for another job, for reading: both use the connections of this one, which must stay open."""
        twin = copy(self)
        twin.job = job
        return twin

    @property
    def place(self) -> str:
        """Where the ledger is, without passwords."""
        return shown(self.url)

    def noted(self) -> dict[str, Any] | None:
        """The terms that the job was begun with; None before it. They never change, so they are read once."""
        if self._noted.get(self.job) is None:
            with self._reading() as connection:
                text = connection.scalar(select(log.c.terms).where(self._mine, log.c.seq == 1))
            self._noted = {self.job: None if text is None else read(text)}
        return copy(self._noted[self.job])

    @property
    def money(self) -> Money:
        """How this job counts its money."""
        return Money.of(self.noted() or {})

    @property
    def settled(self) -> int:
        """The last round that was paid; 0 before the first."""
        last = select(func.max(log.c.round)).where(self._mine, CLOSED)
        with self._reading() as connection:
            return connection.scalar(last) or 0

    def pending(self) -> Promise | None:
        """The promise of a round that was begun and not settled: it stands."""
        rows = [row for row in self.rows(since=self.closed_at(self.settled)) if row["kind"] in PLAYED]
        return promise_of(rows) if rows else None

    def closed_at(self, round: int) -> int:
        """The number of the row that closed this round; 0 where there is none."""
        with self._reading() as connection:
            return connection.scalar(select(log.c.seq).where(self._mine, CLOSED, log.c.round == round)) or 0

    def ended_at(self) -> int:
        """The row that says that a server has played all it was asked for; 0 where none does, or the job goes on."""
        last = self.settled
        return 0 if self._row_of(last + 1, "offer") else self._row_of(last, "end")

    def _row_of(self, round: int, kind: str) -> int:
        """The number of some row of this kind in a round; 0 where there is none."""
        query = select(log.c.seq).where(self._mine, log.c.round == round, log.c.kind == kind, INDEXED).limit(1)
        with self._reading() as connection:
            return connection.scalar(query) or 0

    def round_rows(self, round: int) -> list[Row]:
        """The rows of a settled round, or of the one that is open."""
        start, end = self.closed_at(round - 1), self.closed_at(round) or None
        found = self.rows(since=start, upto=end)
        return [row for row in found if row["kind"] in PLAYED and row["round"] == round]

    def closings(self, after: int = 0) -> list[Row]:
        """One line for each settled round after that one: its number, the row, units paid, accuracy, time."""
        columns = (log.c.round, log.c.seq, log.c.payment, log.c.accuracy, log.c.at)
        query = select(*columns).where(self._mine, CLOSED, log.c.round > after).order_by(log.c.round)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def spent(self) -> int:
        """Units that all settled rounds paid; reversals are not taken off."""
        with self._reading() as connection:
            return int(connection.scalar(select(func.sum(log.c.payment)).where(self._mine, CLOSED)) or 0)

    def last_row(self) -> int:
        """The number of the newest row; 0 before the first."""
        with self._reading() as connection:
            return connection.scalar(select(func.max(log.c.seq)).where(self._mine)) or 0

    def budgets(self) -> list[tuple[int, int, int]]:
        """Budgets that were ordered: the number of the row, the round (0: all that follow), and units."""
        query = select(log.c.seq, log.c.round, log.c.payment).where(self._mine, ORDERED, log.c.kind == "budget")
        with self._reading() as connection:
            return [(seq, round, units) for seq, round, units in connection.execute(query.order_by(log.c.seq)).all()]

    def returns(self) -> list[tuple[int, int]]:
        """Money that came back to the job's total: the number of the row, and units; below 0 where it went again."""
        if "trust" not in (self.noted() or {}):
            return []
        back = ("forfeited", "restored")
        query = select(log.c.seq, log.c.payment).where(self._mine, log.c.kind.in_(back), log.c.round > 0, INDEXED)
        with self._reading() as connection:
            return [(seq, -units) for seq, units in connection.execute(query.order_by(log.c.seq)).all()]

    def marks(self, after: int = 0) -> list[Row]:
        """Rows that say how the job goes on, with numbers above that one: closed rounds, orders, and the end."""
        columns = (log.c.seq, log.c.kind, log.c.round, log.c.payment)
        parts = [select(*columns).where(self._mine, some, log.c.seq > after) for some in (CLOSED, ORDERED)]
        with self._reading() as connection:
            found = [dict(row) for part in parts for row in connection.execute(part).mappings()]
        if (ended := self.ended_at()) > after:
            found.append({"seq": ended, "kind": "end", "round": self.settled, "payment": None})
        return sorted(found, key=lambda row: int(row["seq"]))

    def last_order(self) -> int:
        """The number of the newest order; 0 where there is none."""
        with self._reading() as connection:
            return connection.scalar(select(func.max(log.c.seq)).where(self._mine, ORDERED)) or 0

    def receipts(self) -> Iterator[Receipt]:
        """Settled rounds in order, one in memory at a time; telling them again restores a mechanism."""
        return (receipt for _, receipt, _ in self.rounds())

    def rounds(self) -> Iterator[tuple[Promise, Receipt, int]]:
        """What was promised, what came of it, and the units that were paid; settled rounds in order."""
        noted = self.noted() or {}
        settled, purse, money, orders = self.settled, Purse.of(noted), Money.of(noted), self.budgets()
        back = self.returns()
        played = (row for row in self.rows(after=0) if row["kind"] in PLAYED)
        for round, group in groupby(played, key=lambda row: row["round"]):
            if round <= settled:
                rows = list(group)
                paid = sum(row["payment"] for row in rows if row["kind"] == "payment")
                if purse:
                    purse.change(in_force(orders, rows[0]["seq"], round))
                    purse.returned = returned(back, rows[0]["seq"])
                receipt = receipt_of(rows, purse.next() or None if purse else None, money)
                if purse:
                    purse.pay(paid)
                yield promise_of(rows), receipt, paid

    def jobs(self) -> list[str]:
        """Names of all jobs in this database."""
        found: list[str] = []
        with self._reading() as connection:  # from one name to the next: DISTINCT would read every row
            query = select(func.min(log.c.job))
            while (name := connection.scalar(query.where(log.c.job > found[-1]) if found else query)) is not None:
                found.append(name)
        return found

    def rows(self, after: int | None = None, since: int = 0, upto: int | None = None) -> Iterator[Row]:
        """All rows in the order of writing: of rounds after that one, or with numbers in (since, upto].

        `client` is the name, as far as the directory has it, and `alias` what the log holds of it.
        """
        query = select(log).where(self._mine, log.c.seq > since)
        query = query if after is None else query.where(log.c.round > after)
        query = query if upto is None else query.where(log.c.seq <= upto)
        with self._reading() as connection:
            names = self._names(connection)
            found = connection.execution_options(yield_per=BATCH).execute(query.order_by(log.c.seq))
            for batch in found.partitions(BATCH):
                for part in batch:
                    row = dict(zip(COLUMNS, part, strict=True))
                    alias = row["alias"] = row["client"]
                    if alias in names:
                        row["client"] = names[alias]
                    yield row

    def old_rows(self) -> Iterator[Row]:
        """Rows as the first schema had them, where the job is that old."""
        query = select(entries).where(entries.c.job == self.job).order_by(entries.c.seq)
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=BATCH).execute(query).mappings():
                yield dict(row)

    def heads(self) -> list[Row]:
        """All heads that were signed, as they are in the database."""
        with self._reading() as connection:
            found = connection.execute(select(heads).where(heads.c.job == self.job).order_by(heads.c.size))
            return [dict(row) for row in found.mappings()]

    def head(self, size: int | None = None) -> Head | None:
        """The newest signed head, or the one of that size."""
        query = select(heads).where(heads.c.job == self.job).order_by(heads.c.size.desc()).limit(1)
        with self._reading() as connection:
            row = connection.execute(query if size is None else query.where(heads.c.size == size)).mappings().first()
        return None if row is None else Head.of(dict(row))

    def orders(self, upto: int | None = None) -> Orders:
        """What the operator has ordered, in all or in the first rows."""
        query = select(log.c.kind, log.c.client, log.c.payment).where(self._mine, ORDERED, log.c.round == 0)
        query = query if upto is None else query.where(log.c.seq <= upto)
        with self._reading() as connection:
            found = connection.execute(query.order_by(log.c.seq)).all()
            names = self._names(connection) if any(alias for _, alias, _ in found) else {}
            return orders_of((kind, names.get(alias, alias), units) for kind, alias, units in found)

    def balances(self, upto: int | None = None) -> dict[str, dict[str, int]]:
        """Units by client and kind, in all or in the first rows. See `earned` and `due`."""
        kinds = (*EARNED, *WAITING, "payout")
        query = select(log.c.client, log.c.kind, func.sum(log.c.payment)).where(self._mine, log.c.kind.in_(kinds))
        query = query if upto is None else query.where(log.c.seq <= upto)
        result: dict[str, dict[str, int]] = {}
        with self._reading() as connection:
            names = self._names(connection)
            for alias, kind, units in connection.execute(query.group_by(log.c.client, log.c.kind)):
                result.setdefault(names.get(alias, alias), dict.fromkeys(kinds, 0))[kind] = int(units or 0)
        return dict(sorted(result.items()))

    def clients(self) -> int:
        """How many clients have a name in this job."""
        query = select(func.count()).select_from(directory).where(directory.c.job == self.job)
        with self._reading() as connection:
            return connection.scalar(query) or 0

    def directory(self) -> list[tuple[str, str, str]]:
        """Who is behind the aliases, as far as nobody was forgotten: alias, salt, name."""
        query = select(directory.c.alias, directory.c.salt, directory.c.name).where(directory.c.job == self.job)
        with self._reading() as connection:
            return [(alias, salt, name) for alias, salt, name in connection.execute(query).all()]

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
        return log.c.job == self.job

    def _names(self, connection: Connection) -> dict[str, str]:
        """Names by alias."""
        query = select(directory.c.alias, directory.c.name).where(directory.c.job == self.job)
        return {row[0]: row[1] for row in connection.execute(query).all()}

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with (
            clear_errors(self.url),
            self._engine.connect() as connection,
            connection.execution_options(reading=True).begin(),
        ):
            yield connection
