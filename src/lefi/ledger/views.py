"""The ledger as tables: all rows, and totals per client and per round. Amounts are decimals, exact to the unit."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice

import polars as pl

from lefi.errors import LefiError
from lefi.ledger.entries import Row
from lefi.ledger.money import Money
from lefi.ledger.schema import CLOCK, COLUMNS, EARNED, FLOATS, LATER, WHOLE
from lefi.ledger.terms import Purse, in_force, read, returned

BATCH = 20_000  # rows that are made a table at once: some 20 MB

SCHEMA = {name: pl.Float64 if name in FLOATS else pl.Int64 if name in WHOLE else pl.String for name in COLUMNS}


def frames(rows: Iterable[Row], clock: bool = True) -> Iterator[pl.DataFrame]:
    """All rows, some at a time; without the clock, runs that did the same give the same tables."""
    rows = iter(rows)
    first = True
    while (batch := list(islice(rows, BATCH))) or first:
        first = False
        columns = {name: [row[name] for row in batch] for name in SCHEMA}
        try:
            table = pl.DataFrame(columns, schema=SCHEMA)
        except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
            raise LefiError(f"the rows are not as they were written: {str(error).splitlines()[0]}") from None
        yield table if clock else table.drop(CLOCK)


def frame(rows: Iterable[Row], clock: bool = True) -> pl.DataFrame:
    """All rows in one table."""
    return pl.concat(list(frames(rows, clock)))


def noted_in(table: pl.DataFrame) -> dict[str, object]:
    texts = table.filter(pl.col("kind") == "job")["terms"]
    return read(texts[0]) if texts.len() else {}


def amounts(units: Iterable[int], money: Money) -> pl.Series:
    """Units as exact decimals."""
    return pl.Series("paid", [Decimal(money.text(part)) for part in units], dtype=pl.Decimal(38, money.places))


def by_round(table: pl.DataFrame) -> pl.DataFrame:
    """One row per settled round: offers, answers, paid, the budget in force, accuracy."""
    kind = pl.col("kind")
    rounds = (
        table.filter((pl.col("round") > 0) & ~kind.is_in(LATER))
        .group_by("round", maintain_order=True)
        .agg(
            offers=(kind == "offer").sum(),
            answers=((kind == "answer") & pl.col("size").is_not_null()).sum(),
            paid=pl.col("payment").filter(kind == "payment").sum(),
            accuracy=pl.col("accuracy").filter(kind == "round").first(),
            settled=(kind == "round").any(),
            first=pl.col("seq").min(),
        )
    )
    money = Money.of(noted_in(table))
    budgets = pl.Series("budget", list(_budgets(table, rounds)), dtype=pl.Float64)
    rounds = rounds.drop("first").with_columns(amounts(rounds["paid"], money))
    return rounds.insert_column(rounds.columns.index("paid") + 1, budgets)


def _budgets(table: pl.DataFrame, rounds: pl.DataFrame) -> Iterator[float | None]:
    """The budget in force in each round, from the terms and what was paid before."""
    purse, orders, back = Purse.of(noted_in(table)), _orders(table), _returns(table)
    for round, paid, first in rounds.select("round", "paid", "first").iter_rows():
        if purse:
            purse.change(in_force(orders, first, round))
            purse.returned = returned(back, first)
        yield purse.next() if purse else None
        if purse:
            purse.pay(paid)


def _orders(table: pl.DataFrame) -> list[tuple[int, int, int]]:
    """Budgets that were ordered: the number of the row, the round, and units."""
    return list(table.filter(pl.col("kind") == "budget").select("seq", "round", "payment").iter_rows())


def _returns(table: pl.DataFrame) -> list[tuple[int, int]]:
    """Money that came back to the total: the number of the row, and units."""
    back = table.filter(pl.col("kind").is_in(["forfeited", "restored"])).select("seq", "payment")
    return [(seq, -units) for seq, units in back.iter_rows()]


def overspent(table: pl.DataFrame) -> list[str]:
    """One line for each round, and for the job, that paid more than it had."""
    purse, money = Purse.of(noted_in(table)), Money.of(noted_in(table))
    if purse is None:
        return []
    lines, orders, back = [], _orders(table), _returns(table)
    first = dict(table.filter(pl.col("round") > 0).group_by("round").agg(pl.col("seq").min()).iter_rows())
    for round, paid in by_round(table).select("round", "paid").iter_rows():
        purse.change(in_force(orders, first[round], round))
        purse.returned = returned(back, first[round])
        units, budget = money.exact(paid), purse.next()
        if units > purse.units:
            lines.append(f"round {round} paid {paid} of {budget:.6g} {money.currency}")
        purse.pay(units)
    purse.returned = sum(units for _, units in back)
    if purse.over:
        lines.append(
            f"the job paid {money.text(purse.spent - purse.returned)} of {purse.total:.6g} {money.currency} in all"
        )
    return lines


def by_client(table: pl.DataFrame) -> pl.DataFrame:
    """One row per client: offers, answers that counted, refused ones, samples paid for; paid, held back, due."""
    kind, size, units = pl.col("kind"), pl.col("size"), pl.col("payment")
    refused = (kind == "answer") & size.is_null() & (pl.col("verdict") != "no answer")
    money = Money.of(noted_in(table))
    clients = (
        table.filter(pl.col("client") != "")
        .group_by("client")
        .agg(
            offers=(kind == "offer").sum(),
            answers=((kind == "answer") & size.is_not_null()).sum(),
            refused=refused.sum(),
            size=size.filter(kind == "answer").sum(),
            paid=units.filter(kind.is_in(EARNED)).sum(),
            held=units.filter(kind.is_in(["held", "forfeited"])).sum() - units.filter(kind == "released").sum(),
            out=units.filter(kind == "payout").sum(),
        )
        .sort("client")
    )
    held, due = clients["held"], clients["paid"] - clients["out"] - clients["held"]
    exact = [amounts(units, money).alias(name) for name, units in (("held", held), ("due", due))]
    return clients.with_columns(amounts(clients["paid"], money), *exact).drop("out")
