"""The books of one job: what is offered, committed and paid, within the budget, and on the disk before it is sent.

Nothing in here knows of messages: it takes names and sizes and deals in money.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from logging import ERROR, INFO, WARNING

import numpy as np
from flwr.common import log

from lefi.arrays import FloatArray
from lefi.flower import guard
from lefi.flower.pledges import Pledges, rescaled
from lefi.flower.verdicts import plain
from lefi.ledger import Answer, Ledger, Promise
from lefi.ledger.terms import Purse
from lefi.mechanisms import Mechanism
from lefi.messages import CurveOffer, Receipt, Roster, Terms


class Books:
    """A mechanism with a purse and a ledger. Whatever the mechanism does, no round and no job passes its budget."""

    def __init__(self, mechanism: Mechanism, terms: Terms, ledger: Ledger, penance: int) -> None:
        self.mechanism, self.terms, self.ledger = mechanism, terms, ledger
        self.purse, self.pledges = Purse(terms.budget, terms.total), Pledges(penance)
        self.stated: dict[str, float] = {}  # iid of each client as its first offer had it
        self.settled = 0
        self.pending = ledger.pending()
        self._restore()

    def promise(self, round: int, names: tuple[str, ...], roster: Roster) -> Promise:
        """The offers of a new round, on the disk."""
        promise = Promise(round, names, roster, self._offer(round, names, roster))
        self.ledger.promise(promise)
        return promise

    def commit(self, promise: Promise, pledged: Sequence[Answer], refused: Sequence[Answer]) -> Promise:
        """The offers that bind the server, scaled until what was pledged fits the budget; on the disk."""
        sizes = np.array([np.nan if answer.size is None else answer.size for answer in pledged])
        committed = replace(promise, pledges=sizes, weight=rescaled(promise.offer, sizes, self.purse.next()))
        self.ledger.commit(committed, pledged, refused)
        return committed

    def settle(
        self,
        promise: Promise,
        sizes: FloatArray,
        accuracy: float,
        answers: Sequence[Answer],
        faults: Mapping[str, str],
    ) -> Receipt:
        """Pay and close a round, then let the mechanism learn from it."""
        budget, told = self.purse.next(), promise.told
        receipt = Receipt(promise.round, promise.roster, told, sizes, told.payment(sizes), accuracy, budget)
        paid = receipt.paid
        self.ledger.settle(promise.names, receipt, answers, faults)
        self._remember(promise, sizes, paid)
        if wrong := self._tell(receipt):
            self.ledger.fault(promise.round, "mechanism", wrong)
        counts = (len(promise.names), int((~np.isnan(sizes)).sum()))
        log(INFO, "lefi: round %d: %d offers, %d answers, paid %.4f of %.4f USD", promise.round, *counts, paid, budget)
        return receipt

    def _offer(self, round: int, names: tuple[str, ...], roster: Roster) -> CurveOffer:
        """What the mechanism asks, cut to what the job allows."""
        budget, who = self.purse.next(), type(self.mechanism).__name__
        own = Roster(roster.ids, roster.iid, roster.rate)  # what it does to this one is its own affair
        whole = budget == self.terms.budget
        asked = guard.admit(self.mechanism.ask(own) if whole else self.mechanism.ask(own, budget), roster, who)
        kept = guard.keep(asked, self.terms, budget, self.pledges.caps(round, names))
        for change in guard.changes(asked, kept, budget):
            log(WARNING, "lefi: round %d: the offers of %s are cut: %s", round, who, change)
        return kept

    def _restore(self) -> None:
        """Tell the mechanism all settled rounds again, and remember what else hangs on them."""
        wrong = None
        for promise, receipt in self.ledger.rounds():
            self._remember(promise, receipt.sizes, receipt.paid)
            wrong = self._tell(receipt)
        if wrong:
            self.ledger.fault(self.settled, "mechanism", wrong)
        if self.pending:
            self._note_iid(self.pending)

    def _remember(self, promise: Promise, sizes: FloatArray, paid: float) -> None:
        self.settled = promise.round
        self.purse.pay(paid)
        self.pledges.note(promise, sizes)
        self._note_iid(promise)

    def _note_iid(self, promise: Promise) -> None:
        for name, iid in zip(promise.names, promise.roster.iid.tolist(), strict=True):
            self.stated.setdefault(name, iid)

    def _tell(self, receipt: Receipt) -> str | None:
        """What went wrong, if anything: a mechanism that fails to learn must not keep anybody from being paid."""
        try:
            self.mechanism.tell(receipt)
        except Exception as error:
            return failure(f"round {receipt.round}: {type(self.mechanism).__name__} failed to learn", error)
        return None


def failure(what: str, error: Exception) -> str:
    """Say loudly what failed; the error in a line that a row of the ledger takes."""
    line = plain(f"{type(error).__name__}: {error}")
    log(ERROR, "lefi: %s: %s", what, line)
    return line
