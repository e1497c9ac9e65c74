"""The ledger of one job: promises before anything is sent, payments when a round closes, receipts for a restart.

Two transactions a round (three with pledges): a kill leaves either the whole of each or nothing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from sqlalchemy import delete

from lefi.errors import InputError, LefiError, UnknownName
from lefi.ledger.database import back_up, clear_errors, open_engine, read_url
from lefi.ledger.entries import Answer, Promise, Row, offer_texts
from lefi.ledger.heads import Head
from lefi.ledger.locks import Held, lock, unlock
from lefi.ledger.private import touch_private
from lefi.ledger.proofs import proof_of
from lefi.ledger.reader import earned
from lefi.ledger.schema import EARNED, directory, entries
from lefi.ledger.terms import differences
from lefi.ledger.writer import Writer
from lefi.messages import Receipt
from lefi.offers import AuctionCall
from lefi.trust.audits import Audits


class Overtaken(LefiError):
    """Offers were made under orders that are no longer the newest."""


class Ledger(Writer):
    """Append-only, signed rows of one job in SQLite (a path or sqlite:///file) or PostgreSQL (postgresql://...).

    `key`: the file with the signing key, by default beside the SQLite file; made when the first job begins.
    `reading`: open it so that nothing can be changed.

    >>> from tempfile import mkdtemp
    >>> from lefi.ledger import Ledger, Promise
    >>> market = lefi.scenario("paper", clients=2)
    >>> ledger = Ledger(mkdtemp() + "/ledger.db", job="first")
    >>> ledger.begin({"budget": 1.0})
    >>> ledger.promise(Promise(1, ("0", "1"), market.fleet.roster, lefi.PriceOffer([0.1, 0.2], [5.0, 5.0])))
    >>> [row["kind"] for row in ledger.rows()]
    ['job', 'offer', 'offer']
    >>> ledger.close()
    """

    def __init__(
        self,
        location: str | Path,
        job: str = "job",
        *,
        create: bool = True,
        reading: bool = False,
        key: Path | str | None = None,
    ) -> None:
        super().__init__(location, job, create=create and not reading, reading=reading, key=key)
        self._lock: Held | None = None

    def begin(self, terms: Mapping[str, Any], audits: Audits | None = None) -> None:
        """Start writing: note the terms of a new job, or refuse when a started one has others.

        `audits`: the job commits to them. Whether work is judged cannot change in a job.
        """
        if self._lock is None:
            self._lock = lock(self._connection, self.job)
        noted, asked = self.noted(), json.loads(json.dumps(terms, sort_keys=True, allow_nan=False))
        if noted is None:
            first: Row = {"round": 0, "kind": "job", "terms": json.dumps(asked)}
            self.append([first, _commitment(audits)] if audits else [first])
        elif changed := differences(noted, asked) or _judging(noted, asked):
            told = "; ".join(changed)
            raise LefiError(f"job {self.job!r} of this ledger was begun with {told}: use another job name")
        else:
            self.sign()

    def sign(self) -> None:
        """See that all rows are signed: those of an older version get their first head."""
        self.append([])

    def promise(
        self, promise: Promise, call: AuctionCall | None = None, budget: int | None = None, seen: int | None = None
    ) -> None:
        """Write down what every client is about to be offered; of an auction also the call, so that all can follow.

        `budget`: units that this round alone may pay. `seen`: the newest order that the offers obey; raises
        Overtaken where another has come.
        """
        roster = promise.roster
        rows: list[Row] = [] if budget is None else [{"round": promise.round, "kind": "budget", "payment": budget}]
        rows += [
            {"round": promise.round, "kind": kind, "client": name, "iid": iid, "rate": rate, "offer": text}
            for kind, offer in (("call", call), ("offer", promise.offer))
            if offer is not None
            for name, iid, rate, text in zip(
                promise.names, roster.iid.tolist(), roster.rate.tolist(), offer_texts(offer), strict=True
            )
        ]
        self.append(rows if seen is None else lambda: self._unless_overtaken(rows, seen))

    def _unless_overtaken(self, rows: list[Row], seen: int) -> list[Row]:
        if self.last_order() != seen:
            raise Overtaken(f"an order came while job {self.job!r} made its offers")
        return rows

    def commit(self, promise: Promise, pledges: Sequence[Answer], refused: Sequence[Answer]) -> None:
        """Write down what the clients pledged, and the offers within the pledges, which bind the server."""
        columns = zip(promise.names, promise.most.tolist(), offer_texts(promise.binding), strict=True)
        self.append(
            [_answer_row(promise.round, "pledge", pledge) for pledge in pledges]
            + [_answer_row(promise.round, "answer", answer) for answer in refused]
            + [
                {"round": promise.round, "kind": "commitment", "client": name, "offer": text}
                for name, most, text in columns
                if most > 0
            ]
        )

    def settle(
        self,
        names: Sequence[str],
        receipt: Receipt,
        answers: Sequence[Answer],
        faults: Mapping[str, str] | None = None,
        units: Sequence[int] | None = None,
        then: Callable[[], list[Row]] | None = None,
    ) -> None:
        """Pay a round and close it, in one transaction. `faults`: what went wrong on the server's side, by part.

        `units` are what is paid; without them, the receipt's payments rounded down. `then`: rows that follow from it.
        """
        paid = self.money.units(receipt.payments) if units is None else list(units)
        payment = {"round": receipt.round, "kind": "payment"}
        closing = {"round": receipt.round, "kind": "round", "payment": sum(paid), "accuracy": receipt.accuracy}
        rows = (
            [_answer_row(receipt.round, "answer", answer) for answer in answers]
            + [payment | {"client": name, "payment": part} for name, part in zip(names, paid, strict=True) if part > 0]
            + [_fault_row(receipt.round, part, what) for part, what in (faults or {}).items()]
            + [closing]
        )
        self.append(rows if then is None else lambda: rows + then())

    def end(self) -> None:
        """Note that all rounds are played that were asked for, once after the same round."""
        last = self.settled
        if last and not self._row_of(last, "end") and not self._row_of(last + 1, "offer"):
            self.append([{"round": last, "kind": "end"}])

    def fault(self, round: int, part: str, what: str) -> None:
        """Note what went wrong after a round was closed, once."""
        row = _fault_row(round, part, what)
        if not any(known["kind"] == row["kind"] for known in self.rows(after=round - 1) if known["round"] == round):
            self.append([row])

    def prove(self, client: str, round: int | None = None, earlier: Head | None = None) -> dict[str, Any]:
        """A signed receipt for all payments of a client, or for those of one round, under the newest head.

        `earlier`: a head that the client has; the receipt then proves that the log only grew since.
        """
        mine = [
            row
            for row in self.rows()
            if row["client"] == client and row["kind"] in EARNED and round in (None, row["round"])
        ]
        if not mine:
            raise LefiError(f"no payment to {client!r}" + ("" if round is None else f" in round {round}"))
        head = self.head()
        if head is None:
            raise LefiError(f"job {self.job!r} has no signed head yet: run `lefi ledger migrate`")
        total = earned(self.balances()[client])
        return proof_of(self.tree, head, mine, earlier, total, self.money, self.key)

    def forget(self, client: str) -> None:
        """Erase who is behind an alias. Rows, proofs and sums stay."""
        with clear_errors(self.url), self._connection.begin():
            known = {name: alias for alias, name in self._names(self._connection).items()}
            if client not in known:
                raise UnknownName("client", client, [])
            mine = (directory.c.job == self.job, directory.c.alias == known[client])
            self._connection.execute(delete(directory).where(*mine))
            self._connection.execute(delete(entries).where(entries.c.job == self.job, entries.c.client == client))
        if self.url.get_backend_name() == "sqlite":  # outside of a transaction: the name must leave that file, too
            with clear_errors(self.url):
                cast(Any, self._connection.connection.driver_connection).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._forget_state()

    def backup(self, path: Path) -> None:
        """Copy a live SQLite ledger whole: all jobs, also what a plain copy would miss. The key is not part of it."""
        if self.url.get_backend_name() != "sqlite":
            raise LefiError("only SQLite ledgers are copied: use pg_dump for PostgreSQL")
        if path.exists():
            raise InputError("copy", str(path), "a file that does not exist yet")
        touch_private(path)
        target = open_engine(read_url(path))
        with clear_errors(self.url):
            back_up(self._engine, target)
        target.dispose()

    def close(self) -> None:
        super().close()
        unlock(self._lock)
        self._lock = None


def _judging(noted: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """A job whose work is judged goes on being judged, and another is not judged from some round on."""
    with_, without = "trust, and not without", "no trust, and not with"
    return [with_ if "trust" in noted else without] if ("trust" in noted) != ("trust" in asked) else []


def _commitment(audits: Audits) -> Row:
    return {"round": 0, "kind": "audits", "claim": audits.commitment, "verdict": repr(audits.probability)}


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
