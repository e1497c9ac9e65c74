"""Check a ledger: the chain holds, every payment follows from an offer and an answer, no round is paid twice."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from json import loads
from typing import Any

import numpy as np

from lefi.errors import LefiError
from lefi.ledger.chain import START, broken
from lefi.ledger.entries import Row, promise_of, receipt_of

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
    budget = next((_budget(row) for row in rows if row["kind"] == "job"), None)
    settled, paid = 0, 0.0
    for round, group in groupby((row for row in rows if row["round"] > 0), key=lambda row: row["round"]):
        of_round = list(group)
        if any(row["kind"] == "round" for row in of_round):
            settled += 1
        findings += [f"round {round}: {wrong}" for wrong in _round_findings(of_round, budget)]
        paid += sum(row["payment"] or 0.0 for row in of_round if row["kind"] == "payment")
    return Audit(len(rows), settled, paid, rows[-1]["hash"] if rows else START, findings)


def _budget(row: Row) -> float | None:
    """The budget that holds for every round: only two-phase jobs have one."""
    terms: dict[str, Any] = loads(row["terms"])
    return float(terms["budget"]) if terms["two_phase"] else None


def _round_findings(rows: list[Row], budget: float | None) -> Iterator[str]:
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
    if budget is not None and closing[0]["payment"] > budget:
        yield f"paid {closing[0]['payment']!r} with a budget of {budget!r}"
