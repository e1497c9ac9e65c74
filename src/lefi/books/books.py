"""The books of one job: what is offered, committed and paid, within the budget, and on the disk before it is sent.

Nothing in here knows of messages: it takes names and sizes and deals in money.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from logging import ERROR, INFO, WARNING, getLogger

import numpy as np

from lefi.arrays import FloatArray
from lefi.books import guard
from lefi.books.pledges import Pledges
from lefi.books.verdicts import plain
from lefi.errors import OfferError
from lefi.ledger import Answer, Ledger, Money, Promise
from lefi.ledger.entries import Row
from lefi.ledger.money import LARGEST, payable, told
from lefi.ledger.newcomers import Newcomers
from lefi.ledger.orders import Orders
from lefi.ledger.reader import earned
from lefi.ledger.terms import Purse, in_force, returned
from lefi.ledger.withholding import NOTHING, Judged, Withholding, escrow_rows, judged_rows, release_rows
from lefi.mechanisms import Mechanism
from lefi.messages import Offer, Receipt, Roster, Terms
from lefi.offers import AuctionCall

Bids = Callable[[AuctionCall], FloatArray]
Log = Callable[..., None]  # level, text, parts: Flower has a log of its own
LOG: Log = getLogger("lefi").log


def no_bids(call: AuctionCall) -> FloatArray:
    return np.full(len(call), np.nan)


@dataclass(frozen=True)
class Standing:
    """The orders in force up to the row `seen`, the units that are left to clients with a cap, and what came back."""

    seen: int
    orders: Orders
    left: dict[str, int]
    returned: int = 0

    @property
    def barred(self) -> set[str]:
        """Who gets no offer."""
        return self.orders.blocked | {name for name, units in self.left.items() if units <= 0}


class Books:
    """A mechanism with a purse and a ledger. Whatever the mechanism does, no round and no job passes its budget.

    >>> from tempfile import mkdtemp
    >>> from lefi.books import Books
    >>> from lefi.ledger import Answer, Ledger
    >>> market = lefi.scenario("paper", clients=2, payment="price")
    >>> ledger = Ledger(mkdtemp() + "/ledger.db")
    >>> ledger.begin({"budget": market.terms.budget})
    >>> books = Books(lefi.make("price", market.terms), market.terms, ledger, penance=3)
    >>> promise = books.promise(1, ("0", "1"), market.fleet.roster)
    >>> answers = [Answer(name, "1000", "accepted", 1.0) for name in promise.names]
    >>> books.settle(promise, np.ones(2), 0.1, answers, {})
    Receipt(round 1: 2 clients, 2 answered, paid 0.074875 of 1 USD, accuracy 0.1000)
    >>> ledger.close()
    """

    def __init__(
        self,
        mechanism: Mechanism,
        terms: Terms,
        ledger: Ledger,
        penance: int,
        money: Money | None = None,
        log: Log = LOG,
    ) -> None:
        self.mechanism, self.terms, self.ledger, self.money = mechanism, terms, ledger, money or Money()
        self.log = log
        self.purse, self.pledges = Purse(terms.budget, terms.total, self.money), Pledges(penance)
        self.stated: dict[str, float] = {}  # iid of each client as its first offer had it
        self.settled = 0
        self.left: dict[str, int] = {}  # units that clients with a cap may still get, as of the last promise
        self.units: list[int] = []  # what was paid in the last round, in the order of its roster
        self.last: tuple[object, Offer] | None = None  # what the mechanism was asked last, and its answer
        self.holding = Withholding.of(ledger.noted() or {})
        self.newcomers = Newcomers(self.holding.newcomers, self.holding.escrow) if self.holding else None
        self.pending = ledger.pending()
        self._restore()

    def barred(self) -> set[str]:
        """Who gets no offer in the next round: blocked by the operator, or paid all that its cap allows."""
        standing = self.standing()
        self.obey(standing)
        return standing.barred

    def standing(self, upto: int | None = None) -> Standing:
        """The orders in force, and what follows from them; nothing is changed."""
        seen = self.ledger.last_order() if upto is None else upto
        orders = self.ledger.orders(upto)
        paid = self.ledger.balances(upto) if orders.caps else {}
        left = {name: cap - (earned(paid[name]) if name in paid else 0) for name, cap in orders.caps.items()}
        back = returned(self.ledger.returns(), upto or LARGEST)
        return Standing(seen, orders, left, back)

    def obey(self, standing: Standing, budget: int | None = None) -> None:
        """Let these orders hold for the next promise; `budget` in units comes before theirs."""
        self.left, self.purse.returned = standing.left, standing.returned
        self.purse.change(standing.orders.budget if budget is None else budget)

    def promise(
        self,
        round: int,
        names: tuple[str, ...],
        roster: Roster,
        bids: Bids = no_bids,
        *,
        given: Offer | None = None,
        budget: int | None = None,
        seen: int | None = None,
    ) -> Promise:
        """The offers of a new round, on the disk. `bids` asks the clients where the offer calls for bids.

        `given`: an offer that was asked before; it must keep the budget. `budget` and `seen` as in `Ledger.promise`.
        """
        caps = self.pledges.caps(round, names)
        offer = self.asked(round, names, roster) if given is None else self._admitted(given, roster, caps)
        call = offer if isinstance(offer, AuctionCall) else None
        if call is not None:
            offer = guard.keep(call.award(bids(call)), self.terms, self.purse.next(), caps)
        promise = Promise(round, names, roster, offer)
        self.ledger.promise(promise, call, budget, seen)
        return promise

    def commit(self, promise: Promise, pledged: Sequence[Answer], refused: Sequence[Answer]) -> Promise:
        """The offers within what was pledged, which bind the server; on the disk."""
        sizes = np.array([np.nan if answer.size is None else answer.size for answer in pledged])
        committed = replace(promise, pledges=sizes)
        self.ledger.commit(committed, pledged, refused)
        return committed

    def settle(
        self,
        promise: Promise,
        sizes: FloatArray,
        accuracy: float,
        answers: Sequence[Answer],
        faults: Mapping[str, str],
        judged: Judged = NOTHING,
    ) -> Receipt:
        """Pay and close a round, then let the mechanism learn from it. `judged`: what was found out about the work."""
        budget, owed = self.purse.next(), promise.owed(sizes)
        left = self.most(promise.names)
        units = payable(self.money, owed, self.purse.units, left)
        payments = told(self.money, owed, units)
        receipt = Receipt(promise.round, promise.roster, promise.offer, sizes, payments, accuracy, budget)
        self.ledger.settle(promise.names, receipt, answers, faults, units, self._then(promise, units, judged))
        self.units = units
        self._remember(promise, sizes, sum(units))
        if wrong := self._tell(receipt):
            self.ledger.fault(promise.round, "mechanism", wrong)
        counts = (len(promise.names), int((~np.isnan(sizes)).sum()))
        paid = (self.money.text(sum(units)), budget, self.money.currency)
        self.log(INFO, "lefi: round %d: %d offers, %d answers, paid %s of %.4f %s", promise.round, *counts, *paid)
        return receipt

    def _then(self, promise: Promise, units: list[int], judged: Judged) -> Callable[[], list[Row]] | None:
        """The rows that follow a round: what was found out, and what becomes of the pay."""
        if self.holding is None:
            return None
        round, rounds, pay = promise.round, self.holding.escrow, dict(zip(promise.names, units, strict=True))
        found = judged_rows(round, judged)
        return lambda: found + escrow_rows(self.ledger, rounds, round, pay, judged.guilty)

    def finish(self) -> None:
        """The job has ended: what is held back is released."""
        if self.holding is not None and not self.pending:
            rounds = self.holding.escrow
            self.ledger.append(lambda: release_rows(self.ledger, rounds))

    def most(self, names: Sequence[str]) -> dict[int, int]:
        """Units that single clients of a round may still get, by position: a cap, or little for who is new."""
        most = self.newcomers.limits(names, self.purse.units) if self.newcomers else {}
        for at, name in enumerate(names) if self.left else ():
            if name in self.left:
                most[at] = min(self.left[name], most.get(at, self.left[name]))
        return most

    def asked(self, round: int, names: tuple[str, ...], roster: Roster) -> Offer:
        """What the mechanism asks, cut to what the job allows; asked once for the same roster and budget."""
        budget, who = self.purse.next(), type(self.mechanism).__name__
        key = (round, budget, roster.ids.tobytes(), roster.iid.tobytes(), roster.rate.tobytes())
        if self.last is not None and self.last[0] == key:
            return self.last[1]
        own = Roster(roster.ids, roster.iid, roster.rate)  # what it does to this one is its own affair
        whole = budget == self.terms.budget
        given = self.mechanism.ask(own) if whole else self.mechanism.ask(own, budget)
        asked, caps = guard.admit(given, roster, self.terms.payment, who), self.pledges.caps(round, names)
        kept = guard.keep(asked, self.terms, budget, caps)
        for change in guard.changes(asked, kept, budget):
            self.log(WARNING, "lefi: round %d: the offers of %s are cut: %s", round, who, change)
        self.last = key, kept
        return kept

    def _admitted(self, given: Offer, roster: Roster, caps: FloatArray) -> Offer:
        """An offer from outside, as it is; one that would have to be cut is refused."""
        admitted, budget = guard.admit(given, roster, self.terms.payment, "the caller"), self.purse.next()
        if isinstance(admitted, AuctionCall) or guard.keep(admitted, self.terms, budget, caps) is not admitted:
            raise OfferError(f"the offer is not within the sizes of the job and its budget of {budget:.9g}")
        return admitted

    def _restore(self) -> None:
        """Tell the mechanism all settled rounds again, and remember what else hangs on them."""
        wrong = None
        for promise, receipt, paid in self.ledger.rounds():
            self._remember(promise, receipt.sizes, paid)
            wrong = self._tell(receipt)
        if wrong:
            self.ledger.fault(self.settled, "mechanism", wrong)
        if self.pending:
            self._note_iid(self.pending)
            self._recall_caps()

    def _recall_caps(self) -> None:
        """What was left to clients with a cap when the pending offers were written."""
        rows = [row["seq"] for row in self.ledger.round_rows(self.settled + 1) if row["kind"] == "offer"]
        budget = in_force(self.ledger.budgets(), rows[-1], self.settled + 1)
        self.obey(self.standing(upto=rows[-1]), budget)

    def _remember(self, promise: Promise, sizes: FloatArray, units: int) -> None:
        self.settled = promise.round
        self.purse.pay(units)
        self.pledges.note(promise, sizes)
        if self.newcomers:
            self.newcomers.note(promise.names, [promise.names[at] for at in np.flatnonzero(sizes > 0)])
        self._note_iid(promise)

    def _note_iid(self, promise: Promise) -> None:
        for name, iid in zip(promise.names, promise.roster.iid.tolist(), strict=True):
            self.stated.setdefault(name, iid)

    def _tell(self, receipt: Receipt) -> str | None:
        """What went wrong, if anything: a mechanism that fails to learn must not keep anybody from being paid."""
        try:
            self.mechanism.tell(receipt)
        except Exception as error:
            return failure(f"round {receipt.round}: {type(self.mechanism).__name__} failed to learn", error, self.log)
        return None


def failure(what: str, error: Exception, log: Log) -> str:
    """Say loudly what failed; the error in a line that a row of the ledger takes.

    >>> from lefi.books import failure
    >>> failure("round 3", ValueError("no weights"), log=lambda *parts: None)
    'ValueError: no weights'
    """
    line = plain(f"{type(error).__name__}: {error}")
    log(ERROR, "lefi: %s: %s", what, line)
    return line
