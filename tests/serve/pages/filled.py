"""Ledgers of any size for the views, put in past the ledger: offers, answers, payments, one closing row a round.

Rows carry no true leaves: what is tried is reading them. Every seventh client of a round refuses in some way.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lefi.ledger import Ledger
from lefi.ledger.aliases import alias_of
from lefi.ledger.schema import COLUMNS

UNITS = 10**9  # of a dollar
VERDICTS = ("no answer", "malformed", "late")
EMPTY = dict.fromkeys(COLUMNS)
BUDGET = 50.0  # USD per round
TERMS: dict[str, Any] = {
    "budget": BUDGET, "total": 5000.0, "rounds": 100, "mechanism": "waterfill", "size_low": 0.0, "size_high": 10.0,
    "payment": "curve", "currency": "USD", "unit": "1e-9",
}  # fmt: skip


def fill(path: Path, clients: int, rounds: int, job: str = "large", **terms: Any) -> None:
    """A job with so many clients in each of so many rounds."""
    with Ledger(path, job) as ledger:
        ledger.begin(TERMS | {"rounds": rounds, "total": BUDGET * rounds} | terms)
    names = [f"car-{number}" for number in range(clients)]
    aliases = [alias_of("0" * 32, job, name) for name in names]
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous=OFF")
        known = [(job, alias, "0" * 32, name) for alias, name in zip(aliases, names, strict=True)]
        database.executemany("INSERT INTO directory VALUES (?, ?, ?, ?)", known)
        holes = ", ".join("?" for _ in COLUMNS)
        database.executemany(f"INSERT INTO log VALUES ({holes})", _rows(job, aliases, rounds))
    database.close()


def _rows(job: str, aliases: list[str], rounds: int) -> Iterator[tuple[object, ...]]:
    at = [COLUMNS.index(name) for name in ("seq", "round", "kind", "client")]
    base = EMPTY | {"job": job, "version": 2, "at": "2026-11-16T00:00:00.000000+00:00", "leaf": "0" * 64}
    place = {name: number for number, name in enumerate(COLUMNS)}
    blank, seq = list(base.values()), 1
    for round in range(1, rounds + 1):
        for kind, client, values in _round(aliases, round):
            seq += 1
            row = blank.copy()
            row[at[0]], row[at[1]], row[at[2]], row[at[3]] = seq, round, kind, client
            for name, value in values.items():
                row[place[name]] = value
            yield tuple(row)


def _round(aliases: list[str], round: int) -> Iterator[tuple[str, str, dict[str, object]]]:
    rng = np.random.default_rng(round)
    count = len(aliases)
    weight = (BUDGET / count * rng.uniform(0.2, 0.9, count)).tolist()
    size = rng.uniform(1.0, 9.0, count).tolist()
    for alias, offered in zip(aliases, weight, strict=True):
        text = json.dumps({"kind": "curve", "weight": offered, "limit": 10.0}, separators=(",", ":"))
        yield "offer", alias, {"iid": 0.5, "rate": 0.7, "offer": text}
    paid = {}
    for number, (alias, delivered) in enumerate(zip(aliases, size, strict=True)):
        if (number + round) % 7 == 0:
            yield "answer", alias, {"claim": "'x'", "verdict": VERDICTS[(number // 7) % len(VERDICTS)]}
        else:
            paid[alias] = int(weight[number] * -np.expm1(-0.7 * delivered) * UNITS)
            yield "answer", alias, {"claim": str(delivered), "verdict": "accepted", "size": delivered}
    for alias, units in paid.items():
        yield "payment", alias, {"payment": units}
    accuracy = 0.7 - 0.5 / (1 + round / 5) + 0.01 * float(rng.normal())
    yield "round", "", {"payment": sum(paid.values()), "accuracy": accuracy}
