"""Statements: what a client, or all, has earned and lost in a period. Nothing else is in them."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from lefi.errors import InputError
from lefi.ledger.accounting import Payout
from lefi.ledger.entries import Row
from lefi.ledger.money import Money
from lefi.ledger.schema import EARNED


def moment(text: str | None) -> str | None:
    """A day or an instant, as the ledger writes instants. Without a zone it is UTC."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("date", text, "such as 2026-11-16 or 2026-11-16T12:00") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def statement(
    rows: Iterable[Row],
    money: Money,
    client: str | None = None,
    start: str | None = None,
    end: str | None = None,
) -> pl.DataFrame:
    """One line per payment, reversal, forfeit or appeal that was granted, from `start` up to, and without, `end`."""
    low, high = moment(start), moment(end)
    lines = [
        {
            "client": row["client"],
            "at": row["at"],
            "round": row["round"],
            "kind": row["kind"],
            "amount": Decimal(money.text(row["payment"])),
            "currency": money.currency,
            "units": row["payment"],
            "reason": row["claim"] or "",
            "row": row["seq"],
        }
        for row in rows
        if row["kind"] in EARNED
        and client in (None, row["client"])
        and (low is None or row["at"] >= low)
        and (high is None or row["at"] < high)
    ]
    text, whole = pl.String, pl.Int64
    schema: dict[str, Any] = {
        "client": text, "at": text, "round": whole, "kind": text, "amount": pl.Decimal(38, money.places),
        "currency": text, "units": whole, "reason": text, "row": whole,
    }  # fmt: skip
    return pl.DataFrame(lines, schema=schema)


def total(table: pl.DataFrame) -> int:
    """The units of a statement, summed without rounding."""
    return sum(table["units"].to_list())


def batch_of(payout: Payout, money: Money) -> pl.DataFrame:
    """The list of a pay-out: one line per client."""
    amounts = [Decimal(money.text(units)) for units in payout.due.values()]
    lines = {
        "client": list(payout.due),
        "amount": pl.Series(amounts, dtype=pl.Decimal(38, money.places)),
        "currency": [money.currency] * len(amounts),
        "units": list(payout.due.values()),
        "batch": [payout.batch] * len(amounts),
    }
    return pl.DataFrame(lines)
