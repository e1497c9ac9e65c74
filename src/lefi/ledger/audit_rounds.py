"""Does every payment follow from an offer and an answer, once, within budget and caps; are the rounds in order."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lefi.errors import LefiError
from lefi.ledger.accounts import Accounts
from lefi.ledger.audit_rows import FAULTS
from lefi.ledger.entries import Promise, Row, offer_texts, promise_of
from lefi.ledger.money import Money, payable
from lefi.ledger.reader import PLAYED
from lefi.ledger.slips import HEARD
from lefi.ledger.terms import Purse

TOLERANCE = 1e-12  # relative, and one unit: the same formula on another machine


class Rounds:
    """Rounds one after another, each checked when it closes."""

    def __init__(self, purse: Purse | None, money: Money, accounts: Accounts) -> None:
        self.purse, self.money, self.accounts = purse, money, accounts
        self.settled, self.paid = 0, 0
        self.open: list[Row] = []
        self.left: dict[str, int] = {}
        self.blocked: set[str] = set()

    def add(self, row: Row) -> list[str]:
        """Take in a row; what it shows to be wrong."""
        kind, due = row["kind"], self.settled + 1
        if kind in PLAYED:
            if row["round"] != due:
                return [f"row {row['seq']}: a row of round {row['round']} where round {due} is due"]
            if not self.open:
                self.left, self.blocked = self.accounts.left(), set(self.accounts.orders.blocked)
            self.open.append(row)
            return self._close() if kind == "round" else []
        if kind in FAULTS:
            return [f"row {row['seq']}: a fault of round {row['round']}, before it"] if row["round"] > due else []
        wrong = self.accounts.add(row)
        return [f"row {row['seq']}: {wrong}"] if wrong else []

    def _close(self) -> list[str]:
        rows, round, self.open, self.settled = self.open, self.settled + 1, [], self.settled + 1
        findings = [f"round {round}: {wrong}" for wrong in self._wrong_with(rows)]
        for row in rows:
            if row["kind"] == "payment":
                wrong = self.accounts.add(row)
                findings += [f"round {round}: {row['client']}: {wrong}"] if wrong else []
        return findings

    def end(self) -> Iterator[str]:
        if any(row["kind"] == "payment" for row in self.open):
            yield f"round {self.settled + 1}: paid, but not closed"
        if self.purse and self.purse.over:
            paid, total = self.money.text(self.purse.spent), self.purse.total
            yield f"job: OVER ITS TOTAL: paid {paid} of {total!r} {self.money.currency}"

    def _wrong_with(self, rows: Sequence[Row]) -> Iterator[str]:
        yield from _repeated(rows)
        paid = {row["client"]: row["payment"] for row in rows if row["kind"] == "payment"}
        total, most = sum(row["payment"] for row in rows if row["kind"] == "payment"), None
        self.paid += total
        if self.purse:
            budget, most = self.purse.next(), self.purse.units
            self.purse.pay(total)
            if total > most:
                yield f"OVER BUDGET: paid {self.money.text(total)} of {budget!r} {self.money.currency}"
        if rows[-1]["payment"] != total:
            yield "the total differs from the payments"
        try:
            promise, aliases = promise_of(rows), {row["client"]: row["alias"] for row in rows if row["kind"] == "offer"}
            yield from self._owed(promise, aliases, rows, paid, total if most is None else most)
            yield from _committed(promise, rows)
        except (LefiError, IndexError, KeyError, TypeError, ValueError) as error:
            yield f"rows do not make a receipt ({error})"

    def _owed(
        self, promise: Promise, aliases: dict[str, str], rows: Sequence[Row], paid: dict[str, int], most: int
    ) -> Iterator[str]:
        sizes = _sizes(rows)
        for name in (paid.keys() | sizes.keys()) - aliases.keys():
            yield f"{name} is paid or heard without an offer"
        answered = np.array([sizes.get(name, np.nan) for name in promise.names], dtype=np.float64)
        if (answered > promise.most * (1 + TOLERANCE)).any():
            yield "an answer counts for more than its limit"
        left = {}
        for at, alias in enumerate(aliases.values()) if self.left or self.blocked else ():
            if alias in self.left:
                left[at] = self.left[alias]
            if alias in self.blocked:
                yield f"{promise.names[at]} has an offer, and is blocked"
        owed = payable(self.money, promise.owed(answered), most, left)
        for name, units in zip(promise.names, owed, strict=True):
            got = paid.get(name, 0)
            if abs(got - units) > 1 + TOLERANCE * units:
                yield f"{name} is paid {self.money.text(got)}, owed {self.money.text(units)}"


def _repeated(rows: Sequence[Row]) -> Iterator[str]:
    """Rows that a round may have once, and offers that come before all else."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] != "answer" or row["size"] is not None:
            names.setdefault(row["kind"], []).append(row["client"])
    for kind, clients in names.items():
        if len(set(clients)) < len(clients):
            for client, times in Counter(clients).items():
                if times > 1:
                    yield (
                        f"{client} is paid twice" if kind == "payment" else f"{times} rows of kind {kind} for {client}"
                    )
    if any(row["kind"] != "offer" for row in rows[: len(names.get("offer", ()))]):
        yield "its offers are not in front"


def _sizes(rows: Sequence[Row]) -> dict[str, float]:
    """Answers that count. Those with another verdict count for nothing."""
    answers = [row for row in rows if row["kind"] == "answer"]
    if any((row["size"] is not None) != (row["verdict"] in HEARD) for row in answers):
        raise LefiError("an answer counts against its verdict")
    return {row["client"]: row["size"] for row in answers if row["size"] is not None}


def _committed(promise: Promise, rows: Sequence[Row]) -> Iterator[str]:
    """Whether the commitments are the offers within the pledges."""
    stated = {row["client"]: row["offer"] for row in rows if row["kind"] == "commitment" and row["version"] > 1}
    if not stated:
        return
    bound = zip(promise.names, promise.most.tolist(), offer_texts(promise.binding), strict=True)
    expected = {name: json.loads(text) for name, most, text in bound if most > 0}
    if expected != {name: json.loads(text) for name, text in stated.items()}:
        yield "the commitments are not the offers within the pledges"
