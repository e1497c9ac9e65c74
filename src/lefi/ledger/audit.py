"""Check a ledger: the chain holds, every payment follows from an offer and an answer, nobody is paid twice, and neither
a round nor the job passes its budget."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from lefi.errors import LefiError
from lefi.ledger.chain import START, broken
from lefi.ledger.entries import Row, promise_of, receipt_of
from lefi.ledger.terms import Purse, read

TOLERANCE = 1e-12  # relative; the same formula on another machine


@dataclass(frozen=True)
class Audit:
    """What was found. `head` is the hash of the last row: note it elsewhere, and a cut-off tail is found, too."""

    rows: int
    settled: int
    paid: float
    head: str
    findings: list[str]


def audit(rows: Iterable[Row], head: str | None = None) -> Audit:
    """Audit the rows of one job, in order. `head`: a hash noted earlier, which must still be in the chain."""
    rows = list(rows)
    findings = [f"row {seq}: {wrong}" for seq, wrong in broken(rows)]
    if head is not None and head not in {START, *(row["hash"] for row in rows)}:
        findings.append(f"no row has the noted hash {head}: rows were removed or rewritten")
    noted, wrong = _noted(rows)
    findings += wrong
    purse = Purse.of(noted)
    settled, paid = 0, 0.0
    for round, group in groupby((row for row in rows if row["round"] > 0), key=lambda row: row["round"]):
        of_round = list(group)
        if any(row["kind"] == "round" for row in of_round):
            settled += 1
        findings += [f"round {round}: {wrong}" for wrong in _round_findings(of_round)]
        findings += [f"round {round}: {wrong}" for wrong in _overspent(of_round, purse)]
        paid += sum(row["payment"] for row in of_round if row["kind"] == "payment" and _is_amount(row))
    if purse and purse.over:
        findings.append(f"job: OVER ITS TOTAL: paid {purse.spent!r} USD of {purse.total!r} USD")
    return Audit(len(rows), settled, paid, rows[-1]["hash"] if rows else START, findings)


def _noted(rows: list[Row]) -> tuple[dict[str, Any], list[str]]:
    """The terms of the job, and what is wrong with them."""
    text = next((row["terms"] for row in rows if row["kind"] == "job"), None)
    try:
        return ({}, []) if text is None else (read(text), [])
    except LefiError as error:
        return {}, [str(error)]


def _is_amount(row: Row) -> bool:
    """SQLite keeps whatever it is given, also in a column of numbers."""
    return isinstance(row["payment"], float)


def _overspent(rows: list[Row], purse: Purse | None) -> Iterator[str]:
    """Whether a closed round paid more than the budget in force; its payments leave the purse."""
    amounts = [row["payment"] for row in rows if row["kind"] == "round" and _is_amount(row)]
    if purse is None or not amounts:
        return
    budget = purse.next()
    purse.pay(amounts[0])
    if amounts[0] > budget:
        yield f"OVER BUDGET: paid {amounts[0]!r} USD of {budget!r} USD"


def _round_findings(rows: list[Row]) -> Iterator[str]:
    payments = [row for row in rows if row["kind"] == "payment"]
    closing = [row for row in rows if row["kind"] == "round"]
    names = [row["client"] for row in payments]
    yield from (f"{name} is paid twice" for name in sorted({name for name in names if names.count(name) > 1}))
    if not closing:
        if payments:
            yield "paid, but not closed"
        return
    if len(closing) > 1:
        yield "closed more than once"
    if not all(map(_is_amount, [*payments, *closing])):
        yield "an amount is no number"
        return
    try:
        receipt, promise = receipt_of(rows), promise_of(rows)
    except (LefiError, IndexError, TypeError, ValueError) as error:
        yield f"rows do not make a receipt ({error})"
        return
    yield from (f"{name} is paid without an offer" for name in names if name not in promise.names)
    owed = np.where(receipt.answered, promise.binding.payment(receipt.sizes), 0.0)
    wrong = ~np.isclose(receipt.payments, owed, rtol=TOLERANCE, atol=0)
    for at in np.flatnonzero(wrong):
        yield f"{promise.names[at]} is paid {float(receipt.payments[at])!r}, owed {float(owed[at])!r}"
    if not np.isclose(closing[0]["payment"], sum(row["payment"] for row in payments), rtol=TOLERANCE, atol=0):
        yield "the total differs from the payments"
