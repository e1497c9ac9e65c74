"""What the pages keep of a job: its closed rounds, and counts of its rows. Both grow with the log and never change.

Closed rounds are found by an index, at once. Counts need a pass over all rows: of a large log that was never looked at
it goes on in a thread, and `read` says how far it is.
"""

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from lefi.ledger import Ledger, Money
from lefi.ledger.entries import Row
from lefi.ledger.glances import Tally, columns_of, last_seq, newest, tallies
from lefi.ledger.orders import Orders
from lefi.ledger.schema import WAITING
from lefi.ledger.terms import Purse, in_force, returned

CHUNK = 200_000  # rows of one pass: about a third of a second
FEW = 20_000  # rows that are counted while a page waits
LATEST = 200  # orders and faults that are kept of a chunk
PLAYED = {"job", "call", "offer", "pledge", "commitment", "answer", "payment", "round", *WAITING, "evidence"}


@dataclass(frozen=True)
class Closed:
    """The closing row of a round."""

    round: int
    seq: int
    units: int
    accuracy: float | None
    at: str


@dataclass
class Counts:
    """How many rows a round has."""

    offers: int = 0
    delivered: int = 0
    nothing: int = 0  # answers that count, of 0 samples
    missing: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by verdict
    size: float = 0.0  # thousand samples, of the answers that count

    def add(self, tally: Tally) -> None:
        if tally.kind == "offer":
            self.offers += tally.many
        elif tally.kind == "answer" and tally.verdict == "no answer":
            self.missing += tally.many
        elif tally.kind == "answer" and tally.verdict in ("accepted", "above limit"):
            self.delivered += tally.sized
            self.nothing += tally.many - tally.sized
            self.size += tally.size
        elif tally.kind == "answer":
            self.refused[tally.verdict or ""] += tally.many


NONE = Counts()


class Digest:
    """One job. `catch_up` before anything else is read."""

    def __init__(self, reader: Ledger) -> None:
        self.reader, self.lock = reader, threading.Lock()
        self.noted: dict[str, Any] = reader.noted() or {}
        self.money = Money.of(self.noted)
        self.rounds: list[Closed] = []
        self.budgets: list[float | None] = []  # in force in each closed round
        self.spent: list[int] = []  # units, up to each closed round
        self.over: list[int] = []  # positions of rounds that paid more than they had
        self.counts: dict[int, Counts] = {}
        self.special: list[Row] = []  # orders, faults and accounting, newest last
        self.refusers: dict[tuple[int, str], tuple[str, ...]] = {}  # some aliases, by round and verdict
        self.orders, self.ended = Orders(), False
        self.seq = self.counted = 0
        self._purse = Purse.of(self.noted)
        self._passing = threading.Lock()

    @property
    def read(self) -> float:
        """The share of the rows that are counted."""
        return self.counted / self.seq if self.seq else 1.0

    def catch_up(self) -> None:
        """Take in what was written since; a long pass goes on by itself."""
        with self.lock:
            self.seq = last_seq(self.reader)
            if self.counted < self.seq:
                self.orders, self.ended = self.reader.orders(), self.reader.ended_at() > 0
                known = self.rounds[-1].round if self.rounds else 0
                self._close([Closed(*row.values()) for row in self.reader.closings(known)])
        if 0 < self.seq - self.counted <= FEW:
            self._count_all()
        elif self.counted < self.seq:
            threading.Thread(target=self._count_all, daemon=True).start()

    def _close(self, new: list[Closed]) -> None:
        orders, back = self.reader.budgets(), self.reader.returns()
        for row in new:
            if self._purse:
                begun = self._begun(row, [seq for seq, of, _ in orders if of == 0] + [seq for seq, _ in back])
                self._purse.change(in_force(orders, begun, row.round))
                self._purse.returned = returned(back, begun)
            self.budgets.append(self._purse.next() if self._purse else None)
            if self._purse:
                if row.units > self._purse.units:
                    self.over.append(len(self.rounds))
                self._purse.pay(row.units)
            self.spent.append(row.units + (self.spent[-1] if self.spent else 0))
            self.rounds.append(row)

    def _begun(self, row: Closed, changes: list[int]) -> int:
        """The row that a round began with, as far as a change for all rounds came before or after it."""
        before = self.rounds[-1].seq if self.rounds else 0
        if not any(before < seq < row.seq for seq in changes):
            return row.seq
        return int(columns_of(self.reader, ("seq",), ("call", "offer"), before, row.seq, most=1)[0][0])

    def _count_all(self) -> None:
        if self._passing.acquire(blocking=False):  # otherwise somebody else is at it
            try:
                while self.counted < self.seq:
                    self._count()
            finally:
                self._passing.release()

    def _count(self) -> None:
        """Count one chunk of rows."""
        upto = min(self.counted + CHUNK, self.seq)
        found = tallies(self.reader, self.counted, upto)
        kinds = tuple(sorted({tally.kind for tally in found} - PLAYED))
        rows = newest(self.reader, LATEST, self.counted, upto, kind=kinds) if kinds else []
        with self.lock:
            for tally in found:
                if tally.round > 0:
                    self.counts.setdefault(tally.round, Counts()).add(tally)
            self.special += reversed(rows)
            self.counted = upto

    def counts_of(self, row: Closed) -> Counts | None:
        """The counts of a closed round; None while they are not complete."""
        return self.counts.get(row.round, NONE) if row.seq <= self.counted else None

    @property
    def state(self) -> str:
        """running, paused, stopped or finished."""
        if self.orders.state != "running":
            return self.orders.state
        last, most = self.rounds[-1].round if self.rounds else 0, self.noted.get("rounds")
        if self._purse:
            self._purse.change(self.orders.budget)
        over = (most is not None and last >= most) or (self._purse is not None and self._purse.empty)
        return "finished" if over or self.ended else "running"
