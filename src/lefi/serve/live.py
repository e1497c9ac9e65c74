"""One job that the service runs: rounds are opened and answered one after another, each step in one transaction.

Every reply says what is written, so a request that is repeated, also after a kill, gets the same reply again.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.books import Books, made
from lefi.books.books import Bids, Standing
from lefi.errors import InputError, LefiError
from lefi.ledger import Answer, Ledger, Promise
from lefi.ledger.entries import Row, promise_of
from lefi.ledger.ledger import Overtaken
from lefi.ledger.money import told
from lefi.ledger.terms import Purse, in_force
from lefi.mechanisms.explanation import Explaining, Explanation
from lefi.mechanisms.mechanism import done
from lefi.messages import Offer, Roster
from lefi.offers import AuctionCall
from lefi.serve.bodies import AnswersBody, JobBody, OpenBody, RosterBody, column
from lefi.serve.heard import accuracy_of, heard, sizes_of
from lefi.serve.problems import LOG, Refusal

TRIES = 5  # orders that may come while offers are made


@dataclass(frozen=True)
class Offered:
    """The offers of a round, or of a preview."""

    round: int
    names: tuple[str, ...]
    offer: Offer
    budget: float
    left_out: list[str]
    state: str
    repeated: bool = False


@dataclass(frozen=True)
class Settled:
    """A round that is paid: one entry per offer."""

    round: int
    names: tuple[str, ...]
    answers: list[Answer]
    refused: list[Answer]
    units: list[int]
    payments: FloatArray
    accuracy: float
    repeated: bool = False


class Live:
    """A job with its books. Whoever calls it holds the lock, or waits for it."""

    def __init__(self, ledger: Ledger, body: JobBody, clients: int) -> None:
        self.ledger, self.body, self.clients = ledger, body, clients
        self.lock = threading.RLock()
        self.terms, self.money = body.agreed(), body.money
        mechanism = made(body.mechanism, self.terms, body.settings, body.seed)
        ledger.begin(body.note(self.terms))
        self.books = Books(mechanism, self.terms, ledger, 0, self.money, LOG.log)
        self.known = {name for _, _, name in ledger.directory()}

    def preview(self, body: RosterBody) -> Offered:
        """What the next round would offer; nothing is written and nothing changes."""
        with self.lock:
            standing = self.books.standing()
            names, roster, out = self._present(body, standing)
            with self.books.purse.changed(self._units(body) or standing.orders.budget):
                round, budget = self.books.settled + 1, self.books.purse.next()
                return Offered(round, names, self._asked(round, names, roster), budget, out, "preview")

    def open(self, round: int, body: OpenBody) -> Offered:
        """Offers on the disk. The same round again gives the same offers."""
        with self.lock:
            pending, settled = self.books.pending, self.books.settled
            if round <= settled or (pending and pending.round == round):
                return self._opened_before(round, body)
            if round != settled + 1:
                raise Refusal(409, f"round {settled + 1} is next, not {round}", field="round", allowed=settled + 1)
            for _ in range(TRIES):
                try:
                    return self._open(round, body)
                except Overtaken:
                    continue
            raise Refusal(503, "orders keep coming: try again")

    def _open(self, round: int, body: OpenBody) -> Offered:
        standing = self.books.standing()
        self._must_run(standing)
        names, roster, out = self._present(body, standing)
        self._room_for(names)
        units = self._units(body)
        ordered = units if units is not None and units != self._in_force(standing) else None
        self.books.obey(standing, units)
        if self.books.purse.empty:
            raise Refusal(409, "the money of this job is spent", state="finished")
        if why := done(self.books.mechanism):
            raise Refusal(409, f"{why}: no further round is paid, and {self._kept()}", state="finished")
        given = self._given(body, names, roster)
        if given is None:
            self._asked(round, names, roster)
        self.books.pending = self.books.promise(
            round, names, roster, self._bids(body, names), given=given, budget=ordered, seen=standing.seen
        )
        self.known.update(names)
        return Offered(round, names, self.books.pending.offer, self.books.purse.next(), out, "open")

    def answer(self, round: int, body: AnswersBody) -> Settled:
        """Verdicts and payments, on the disk. The same answers again give the same; others come too late."""
        with self.lock:
            promise = self.books.pending
            if round <= self.books.settled:
                return self._answered_before(round, body)
            if promise is None or promise.round != round:
                raise Refusal(409, f"round {round} is not open", field="round", state="not open")
            answers, refused = heard(promise, body, self.terms.size_high)
            self._room_for([answer.client for answer in refused])
            sizes = sizes_of(answers)
            accuracy = accuracy_of(body, self.terms, promise, sizes)
            receipt = self.books.settle(promise, sizes, accuracy, answers + refused, {})
            self.books.pending = None
            return Settled(round, promise.names, answers, refused, self.books.units, receipt.payments, accuracy)

    def explain(self, ids: IntArray) -> Explanation | None:
        with self.lock:
            mechanism = self.books.mechanism
            return mechanism.explain(ids) if isinstance(mechanism, Explaining) else None

    def close(self) -> None:
        with self.lock:
            self.ledger.close()

    def _asked(self, round: int, names: tuple[str, ...], roster: Roster) -> Offer:
        """What the mechanism asks; where it fails, the caller is told, and nothing is open."""
        try:
            return self.books.asked(round, names, roster)
        except LefiError:
            raise
        except Exception as error:
            LOG.error("job %s: the mechanism failed to offer", self.ledger.job, exc_info=error)
            raise Refusal(422, f"the mechanism failed to offer: {type(error).__name__}") from None

    def _present(self, body: RosterBody, standing: Standing) -> tuple[tuple[str, ...], Roster, list[str]]:
        """Who gets offers, and who is left out."""
        roster, barred = body.roster(), standing.barred
        if len(roster) > self.clients:
            raise InputError("clients", f"{len(roster)} of them", f"at most {self.clients}")
        out = [name for name in body.clients if name in barred]
        if not out:
            return tuple(body.clients), roster, []
        here = np.flatnonzero([name not in barred for name in body.clients])
        if here.size == 0:
            raise Refusal(409, "all of these clients are blocked, or paid all that they may be", field="clients")
        return tuple(body.clients[at] for at in here), roster.take(here), out

    def _room_for(self, names: Sequence[str]) -> None:
        if (count := len(self.known.union(names))) > self.clients:
            raise InputError("clients", f"{count} in this job", f"at most {self.clients}")

    def _kept(self) -> str:
        """What becomes of the money, in words."""
        if self.terms.total is None:
            return "what it would cost is kept"
        left = self.money.exact(self.terms.total) - self.books.purse.spent
        return f"{self.money.text(left)} {self.money.currency} are kept"

    def _must_run(self, standing: Standing) -> None:
        state, rounds = standing.orders.state, self.terms.rounds
        if state != "running":
            raise Refusal(409, f"the job is {state}", state=state)
        if rounds is not None and self.books.settled >= rounds:
            raise Refusal(409, f"all {rounds} rounds of the terms are played", state="finished")

    def _units(self, body: RosterBody) -> int | None:
        """The budget of a request, as the ledger counts it."""
        if body.budget is None:
            return None
        units = self.money.exact(body.budget)
        if units <= 0:
            raise InputError("budget", body.budget, f"at least {self.money.unit} {self.money.currency}")
        return units

    def _in_force(self, standing: Standing) -> int:
        ordered = standing.orders.budget
        return self.books.purse.begun[1] if ordered is None else ordered

    def _bids(self, body: OpenBody, names: tuple[str, ...]) -> Bids:
        bids = dict(zip(body.clients, body.bids or [], strict=False))

        def wanted(_: AuctionCall) -> FloatArray:
            if body.bids is None or len(body.bids) != len(body.clients):
                raise InputError("bids", f"{len(body.bids or [])} of them", "one for each client: this is an auction")
            return column([bids[name] for name in names])

        return wanted

    def _given(self, body: OpenBody, names: tuple[str, ...], roster: Roster) -> Offer | None:
        """The offer that the caller brings, for those who get one."""
        if body.offer is None:
            return None
        if self.terms.payment == "auction" or len(names) < len(body.clients):
            raise InputError("offer", body.offer.kind, "left out in an auction, and where clients are left out")
        return body.offer.made(roster)

    def _opened_before(self, round: int, body: OpenBody) -> Offered:
        """The offers as they are written, where the roster is the one that they were made for."""
        rows = self.ledger.round_rows(round)
        promise, standing = promise_of(rows), self.books.standing(upto=rows[0]["seq"])
        names, roster, out = self._present(body, standing)
        same = names == promise.names and all(
            np.array_equal(getattr(roster, part), getattr(promise.roster, part)) for part in ("iid", "rate")
        )
        if not same:
            raise Refusal(409, f"round {round} was opened for another roster: nothing was changed", field="clients")
        state = "settled" if round <= self.books.settled else "open"
        return Offered(round, names, promise.offer, self._budget_of(round, rows[0]["seq"]), out, state, repeated=True)

    def _budget_of(self, round: int, first: int) -> float:
        """The budget that was in force when the first row of a round was written."""
        purse = Purse(self.terms.budget, self.terms.total, self.money)
        purse.change(in_force(self.ledger.budgets(), first, round))
        purse.pay(sum(closing["payment"] for closing in self.ledger.closings() if closing["round"] < round))
        return purse.next()

    def _answered_before(self, round: int, body: AnswersBody) -> Settled:
        """The round as it is written, where the answers are those that closed it."""
        rows = self.ledger.round_rows(round)
        promise, written = promise_of(rows), settled_of(rows, self.ledger)
        answers, refused = heard(promise, body, self.terms.size_high)
        accuracy = accuracy_of(body, self.terms, promise, sizes_of(answers))
        same = np.array_equal(accuracy, written.accuracy, equal_nan=True)
        if not same or (answers, refused) != (written.answers, written.refused):
            raise Refusal(409, f"round {round} is settled by other answers: nothing was changed", state="settled")
        return written


def settled_of(rows: Sequence[Row], ledger: Ledger) -> Settled:
    """A settled round from its rows."""
    promise: Promise = promise_of(rows)
    said = [Answer(row["client"], row["claim"], row["verdict"], row["size"]) for row in rows if row["kind"] == "answer"]
    answers, refused = said[: len(promise.names)], said[len(promise.names) :]
    paid = {row["client"]: row["payment"] for row in rows if row["kind"] == "payment"}
    units = [paid.get(name, 0) for name in promise.names]
    accuracy = next(row["accuracy"] for row in rows if row["kind"] == "round")
    payments = told(ledger.money, promise.owed(sizes_of(answers)), units)
    accuracy = np.nan if accuracy is None else accuracy
    return Settled(promise.round, promise.names, answers, refused, units, payments, accuracy, repeated=True)
