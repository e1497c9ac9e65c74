"""Ledgers of any size for the views, put in past the ledger: offers, answers, payments, one closing row a round.

Rows carry no true leaves: what is tried is reading them. Every seventh client refuses in some way. The first round is
drawn, the others are copies of it with another accuracy, so that fifteen million rows take minutes.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lefi.ledger import Ledger
from lefi.ledger.aliases import alias_of
from lefi.ledger.schema import COLUMNS
from tests.lengths import amount

MANY = amount(100_000, 20_000)  # clients of a job, more than an answer of 1 MB could list
UNITS = 10**9  # of a dollar
VERDICTS = ("no answer", "malformed", "late")
SALT = "0" * 32
BUDGET = 50.0  # USD per round
TERMS: dict[str, Any] = {
    "budget": BUDGET, "mechanism": "waterfill", "size_low": 0.0, "size_high": 10.0, "payment": "curve",
    "currency": "USD", "unit": "1e-9",
}  # fmt: skip
COPY = """WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
INSERT INTO log SELECT {} FROM numbers, log WHERE job = ? AND round = 1 ORDER BY n, seq"""
CHANGED = {
    "seq": "seq + n * ?", "round": "round + n",
    "accuracy": "CASE WHEN kind = 'round' THEN 0.7 - 0.5 / (1 + n / 5.0) END",
}  # fmt: skip


def fill(path: Path, clients: int, rounds: int, job: str = "large") -> None:
    """A job with so many clients in each of so many rounds."""
    with Ledger(path, job) as ledger:
        ledger.begin(TERMS | {"rounds": rounds, "total": BUDGET * rounds})
    names = [f"car-{number}" for number in range(clients)]
    aliases = [alias_of(SALT, job, name) for name in names]
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous=OFF")
        known = [(job, alias, SALT, name) for alias, name in zip(aliases, names, strict=True)]
        database.executemany("INSERT INTO directory VALUES (?, ?, ?, ?)", known)
        rows = list(_rows(job, aliases))
        database.executemany(f"INSERT INTO log VALUES ({', '.join('?' for _ in COLUMNS)})", rows)
        if rounds > 1:
            columns = ", ".join(CHANGED.get(name, name) for name in COLUMNS)
            database.execute(COPY.format(columns), (rounds - 1, len(rows), job))
    database.close()


def _rows(job: str, aliases: list[str]) -> Iterator[tuple[object, ...]]:
    base = dict.fromkeys(COLUMNS) | {"job": job, "version": 2, "round": 1, "leaf": "0" * 64}
    base["at"] = "2026-11-16T00:00:00.000000+00:00"
    blank, place = list(base.values()), {name: at for at, name in enumerate(COLUMNS)}
    first = [place[name] for name in ("seq", "kind", "client")]
    for seq, (kind, client, values) in enumerate(_round(aliases), 2):
        row = blank.copy()
        row[first[0]], row[first[1]], row[first[2]] = seq, kind, client
        for name, value in values.items():
            row[place[name]] = value
        yield tuple(row)


def _round(aliases: list[str]) -> Iterator[tuple[str, str, dict[str, object]]]:
    rng, count = np.random.default_rng(7), len(aliases)
    weight = (BUDGET / count * rng.uniform(0.2, 0.9, count)).tolist()
    delivered = rng.uniform(1.0, 9.0, count)
    owed = (np.array(weight) * -np.expm1(-0.7 * delivered) * UNITS).astype(int).tolist()
    size = delivered.tolist()
    for alias, offered in zip(aliases, weight, strict=True):
        text = f'{{"kind":"curve","weight":{offered!r},"limit":10.0}}'
        yield "offer", alias, {"iid": 0.5, "rate": 0.7, "offer": text}
    paid = {}
    for number, (alias, came) in enumerate(zip(aliases, size, strict=True)):
        if number % 7 == 0:
            yield "answer", alias, {"claim": "'x'", "verdict": VERDICTS[(number // 7) % len(VERDICTS)]}
        else:
            paid[alias] = owed[number]
            yield "answer", alias, {"claim": "9999", "verdict": "accepted", "size": came}
    for alias, units in paid.items():
        yield "payment", alias, {"payment": units}
    yield "round", "", {"payment": sum(paid.values()), "accuracy": 0.2}
