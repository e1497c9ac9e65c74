"""Does every payment follow from an offer and an answer, once, within budget and caps; are the rounds in order."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lefi.errors import LefiError
from lefi.ledger.accounts import Accounts
from lefi.ledger.audit_rows import FAULTS
from lefi.ledger.audit_trust import TRUST, Trusted
from lefi.ledger.entries import Promise, Row, offer_texts, promise_of
from lefi.ledger.money import Money, payable
from lefi.ledger.reader import PLAYED
from lefi.ledger.slips import HEARD
from lefi.ledger.terms import Purse
from lefi.offers import AuctionAward
from lefi.offers.columns import from_record

TOLERANCE = 1e-12  # relative, and one unit: the same formula on another machine
CUT = 1e-6  # relative: an award may have been cut by a hair, to the budget


@dataclass
class Open:
    """A round that is not closed yet: what was promised, heard and paid, by name; what is wrong so far."""

    left: dict[str, int]  # units that clients with a cap may still get, by alias
    blocked: set[str]
    calls: list[Row] = field(default_factory=list)
    promised: list[Row] = field(default_factory=list)  # offers, pledges, commitments
    aliases: dict[str, str] = field(default_factory=dict)  # of the clients with an offer, in their order
    sizes: dict[str, float] = field(default_factory=dict)
    paid: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        kind, client = row["kind"], row["client"]
        if kind == "answer":
            if row["size"] is not None:
                if client in self.sizes:
                    self.wrong.append(f"two answers of {client} count")
                self.sizes[client] = row["size"]
            if (row["size"] is not None) != (row["verdict"] in HEARD):
                self.wrong.append(f"an answer of {client} counts against its verdict")
        elif kind == "payment":
            if client in self.paid:
                self.wrong.append(f"{client} is paid twice")
            self.paid[client] = self.paid.get(client, 0) + row["payment"]
        elif kind == "call":
            self.calls.append(row)
        elif kind != "round":
            if kind == "offer":
                if client in self.aliases or len(self.promised) > len(self.aliases) or self.sizes or self.paid:
                    self.wrong.append(f"an offer to {client} that is not its first, or not in front")
                self.aliases[client] = row["alias"]
            self.promised.append(row)


class Rounds:
    """Rounds one after another, each checked when it closes."""

    def __init__(self, noted: Mapping[str, Any], accounts: Accounts) -> None:
        self.purse, self.money, self.accounts = Purse.of(noted), Money.of(noted), accounts
        self.trust = Trusted(noted, accounts)
        self.settled, self.paid, self.ended = 0, 0, 0
        self.open: Open | None = None
        self.once: int | None = None  # units of the next round alone

    def add(self, row: Row) -> list[str]:
        """Take in a row; what it shows to be wrong."""
        kind, due = row["kind"], self.settled + 1
        if kind in PLAYED:
            if row["round"] != due:
                return [f"row {row['seq']}: a row of round {row['round']} where round {due} is due"]
            late = [] if self.open else list(self.trust.late(self.settled))
            self.open = self.open or self._begin()
            self.open.add(row)
            return late + (self._close(self.open, row) if kind == "round" else [])
        if kind == "budget" and row["round"] > 0:
            return self._once(row)
        if kind == "end":
            return self._end(row)
        if kind in FAULTS:
            return [f"row {row['seq']}: a fault of round {row['round']}, before it"] if row["round"] > due else []
        if kind in TRUST:
            wrong = self.trust.add(row, begun=self.settled > 0 or self.open is not None)
        else:
            wrong = self.accounts.add(kind, row["alias"], row["round"], row["payment"])
        return [f"row {row['seq']}: {wrong}"] if wrong else []

    def _end(self, row: Row) -> list[str]:
        fits = self.open is None and self.ended < row["round"] == self.settled
        self.ended = row["round"]
        return [] if fits else [f"row {row['seq']}: an end after round {row['round']} that is not the last, or is open"]

    def _begin(self) -> Open:
        """The first row of a round: orders and money are as they are now."""
        if self.purse:
            self.purse.change(self.once or self.accounts.orders.budget)
            self.purse.returned = self.trust.returned
        self.once = None
        return Open(self.accounts.left(), set(self.accounts.orders.blocked))

    def _once(self, row: Row) -> list[str]:
        """The budget of the round that is about to begin."""
        if row["round"] != self.settled + 1 or self.open is not None or row["payment"] <= 0:
            return [f"row {row['seq']}: a budget of round {row['round']} that is not in front of it"]
        self.once = row["payment"]
        return []

    def end(self) -> Iterator[str]:
        if self.open and self.open.paid:
            yield f"round {self.settled + 1}: paid, but not closed"
        if self.open is None:
            yield from self.trust.late(self.settled)
        if self.purse:
            self.purse.returned = self.trust.returned
        if self.purse and self.purse.over:
            paid, total = self.money.text(self.purse.spent - self.purse.returned), self.purse.total
            yield f"job: OVER ITS TOTAL: paid {paid} of {total!r} {self.money.currency}"

    def _close(self, open: Open, closing: Row) -> list[str]:
        self.open, self.settled = None, self.settled + 1
        findings = [*open.wrong, *self._wrong_with(open, closing)]
        for client, units in open.paid.items():
            wrong = self.accounts.add("payment", open.aliases.get(client, client), self.settled, units)
            findings += [f"{client}: {wrong}"] if wrong else []
        self.trust.closed(self.settled, open.aliases, open.sizes, open.paid)
        return [f"round {self.settled}: {wrong}" for wrong in findings]

    def _wrong_with(self, open: Open, closing: Row) -> Iterator[str]:
        total = most = sum(open.paid.values())
        self.paid += total
        if self.purse:
            budget, most = self.purse.next(), self.purse.units
            self.purse.pay(total)
            if total > most:
                yield f"OVER BUDGET: paid {self.money.text(total)} of {budget!r} {self.money.currency}"
        if closing["payment"] != total:
            yield "the total differs from the payments"
        try:
            promise = promise_of(open.promised)
            yield from self._owed(open, promise, most)
            yield from _committed(promise, open.promised)
            yield from _awarded(promise, open.calls)
        except (LefiError, IndexError, KeyError, TypeError, ValueError) as error:
            yield f"rows do not make a receipt ({error})"

    def _owed(self, open: Open, promise: Promise, most: int) -> Iterator[str]:
        for name in (open.paid.keys() | open.sizes.keys()) - open.aliases.keys():
            yield f"{name} is paid or heard without an offer"
        answered = np.array([open.sizes.get(name, np.nan) for name in promise.names], dtype=np.float64)
        if (answered > promise.most * (1 + TOLERANCE)).any():
            yield "an answer counts for more than its limit"
        new = self.trust.newcomers
        left = new.limits(list(open.aliases.values()), most) if new else {}
        for at, alias in enumerate(open.aliases.values()) if open.left or open.blocked else ():
            if alias in open.left:
                left[at] = min(open.left[alias], left.get(at, open.left[alias]))
            if alias in open.blocked:
                yield f"{promise.names[at]} has an offer, and is blocked"
        owed = payable(self.money, promise.owed(answered), most, left)
        for name, units in zip(promise.names, owed, strict=True):
            got = open.paid.get(name, 0)
            if got != units and abs(got - units) > 1 + TOLERANCE * units:
                yield f"{name} is paid {self.money.text(got)}, owed {self.money.text(units)}"


def _committed(promise: Promise, rows: list[Row]) -> Iterator[str]:
    """Whether the commitments are the offers within the pledges."""
    for kind in ("pledge", "commitment"):
        names = [row["client"] for row in rows if row["kind"] == kind]
        if len(set(names)) < len(names):
            yield f"two rows of kind {kind} for one client"
    stated = {row["client"]: row["offer"] for row in rows if row["kind"] == "commitment" and row["version"] > 1}
    if not stated:
        return
    bound = zip(promise.names, promise.most.tolist(), offer_texts(promise.binding), strict=True)
    expected = {name: json.loads(text) for name, most, text in bound if most > 0}
    if expected != {name: json.loads(text) for name, text in stated.items()}:
        yield "the commitments are not the offers within the pledges"


def _awarded(promise: Promise, calls: list[Row]) -> Iterator[str]:
    """Whether the award of an auction follows from the call and the bids, by the rule that was published."""
    if not isinstance(promise.offer, AuctionAward):
        if calls:
            yield "a call for bids where there is no auction"
        return
    if [row["client"] for row in calls] != list(promise.names):
        yield "an award without its call for bids"
        return
    call = from_record([json.loads(row["offer"]) for row in calls], promise.roster.rate)
    award = call.award(promise.offer.bids)
    if not np.allclose(award.price, promise.offer.price, rtol=CUT, atol=0):
        yield "the award does not follow from the bids"
