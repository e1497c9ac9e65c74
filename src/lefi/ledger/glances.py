"""Small answers from large logs, for pages: each reads an index or a bounded span of rows, never a whole job at once.

The index `log_once` finds single rows by round, kind and client. Answers are not in it: they are found by the span of
rows that their round was written in.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, case, func, select

from lefi.ledger.entries import Row
from lefi.ledger.reader import Reader
from lefi.ledger.schema import COLUMNS, INDEXED, directory, log

SEEKS = 500  # rounds that are looked up in one query


class Tally(NamedTuple):
    """How many rows of one kind and verdict a round has, in a span of the log."""

    round: int
    kind: str
    verdict: str | None
    many: int
    units: int
    size: float
    sized: int  # of them, rows with a size above 0


def last_seq(reader: Reader) -> int:
    """The number of the last row; 0 where there is none."""
    with reader._reading() as connection:
        return connection.scalar(select(func.max(log.c.seq)).where(log.c.job == reader.job)) or 0


def of_client(reader: Reader, alias: str, kind: str, upto: int) -> list[tuple[int, int, int, str]]:
    """Round, row, units and time of the payments or reversals of one client."""
    columns = (log.c.round, log.c.seq, log.c.payment, log.c.at)
    return [(row[0], row[1], row[2], row[3]) for row in _sought(reader, columns, kind, alias, range(1, upto + 1))]


def _sought(reader: Reader, columns: Sequence[Any], kind: str, client: str, rounds: range) -> list[Any]:
    where = and_(log.c.job == reader.job, log.c.kind == kind, log.c.client == client, INDEXED)
    found: list[Any] = []
    with reader._reading() as connection:
        for first in range(rounds.start, rounds.stop, SEEKS):
            some = list(range(first, min(first + SEEKS, rounds.stop)))
            found += connection.execute(select(*columns).where(where, log.c.round.in_(some)).order_by(log.c.round))
    return found


def tallies(reader: Reader, since: int, upto: int) -> list[Tally]:
    """Counts by round, kind and verdict of the rows in (since, upto]."""
    keys = (log.c.round, log.c.kind, log.c.verdict)
    sized = func.sum(case((log.c.size > 0, 1), else_=0))
    sums = (func.count(), func.sum(log.c.payment), func.sum(log.c.size), sized)
    query = select(*keys, *sums).where(*_span(reader, since, upto)).group_by(*keys)
    with reader._reading() as connection:
        return [
            Tally(round, kind, verdict, many, int(units or 0), size or 0.0, int(sized))
            for round, kind, verdict, many, units, size, sized in connection.execute(query)
        ]


def columns_of(
    reader: Reader, names: Sequence[str], kinds: Collection[str], since: int, upto: int, most: int | None = None
) -> list[Any]:
    """Some columns of the rows of these kinds in (since, upto], in order; `client` is the alias."""
    query = select(*(log.c[name] for name in names)).where(*_span(reader, since, upto), log.c.kind.in_(kinds))
    with reader._reading() as connection:
        return list(connection.execute(query.order_by(log.c.seq).limit(most)).fetchall())


def newest(reader: Reader, most: int, since: int, upto: int, **filters: Any) -> list[Row]:
    """The last rows in (since, upto] with these values, newest first; a tuple of values means any of them."""
    query = select(log).where(*_span(reader, since, upto))
    for name, value in filters.items():
        query = query.where(log.c[name].in_(value) if isinstance(value, tuple) else log.c[name] == value)
    with reader._reading() as connection:
        found = connection.execute(query.order_by(log.c.seq.desc()).limit(most))
        return [dict(zip(COLUMNS, row, strict=True)) for row in found]


def names_of(reader: Reader, aliases: Iterable[str]) -> dict[str, str]:
    """Names of a few aliases, as far as the directory still has them."""
    wanted = sorted({alias for alias in aliases if alias})
    query = select(directory.c.alias, directory.c.name).where(directory.c.job == reader.job)
    with reader._reading() as connection:
        return {row[0]: row[1] for row in connection.execute(query.where(directory.c.alias.in_(wanted)))}


def alias_named(reader: Reader, name: str) -> str | None:
    """The alias of a client in the log."""
    query = select(directory.c.alias).where(directory.c.job == reader.job, directory.c.name == name)
    with reader._reading() as connection:
        return connection.scalar(query)


def names_like(reader: Reader, start: str, most: int) -> list[str]:
    """The first names that begin like this."""
    mine = (directory.c.job == reader.job, directory.c.name.startswith(start, autoescape=True))
    with reader._reading() as connection:
        return list(connection.scalars(select(directory.c.name).where(*mine).order_by(directory.c.name).limit(most)))


def _span(reader: Reader, since: int, upto: int) -> tuple[Any, ...]:
    return log.c.job == reader.job, log.c.seq > since, log.c.seq <= upto
