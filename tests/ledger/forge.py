"""A forger at work: who has the database changes rows, recomputes all leaves, and signs with what key there is."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lefi.ledger.heads import Head
from lefi.ledger.leaves import leaf_of
from lefi.ledger.merkle import Tree

Row = dict[str, Any]
TABLES = ("log", "heads", "directory")


@dataclass
class Books:
    """All that is in the database, as lists that can be written to."""

    log: list[Row]
    heads: list[Row]
    directory: list[Row]

    def of(self, kind: str, round: int | None = None) -> list[Row]:
        return [row for row in self.log if row["kind"] == kind and round in (None, row["round"])]

    def insert(self, place: int, **changed: Any) -> None:
        """A row like the first payment, with changes, at that place; all later ones are numbered anew."""
        self.log.insert(place, self.of("payment")[0] | changed)
        self.number()

    def remove(self, *rows: Row) -> None:
        self.log = [row for row in self.log if not any(row is gone for gone in rows)]
        self.number()

    def number(self) -> None:
        for seq, row in enumerate(self.log, 1):
            row["seq"] = seq


class Shown:
    """What `verify` would read of a database with these books in it, without the database."""

    def __init__(self, books: Books) -> None:
        self.books, self.job = books, "job"

    def rows(self) -> list[Row]:
        names = {row["alias"]: row["name"] for row in self.books.directory}
        mine = sorted((row for row in self.books.log if row["job"] == self.job), key=lambda row: row["seq"])
        complete = [row | {"alias": row["client"]} for row in mine]
        return [row | {"client": names.get(row["alias"], row["alias"]), "leaf": leaf_of(row).hex()} for row in complete]

    def heads(self) -> list[Row]:
        return self.books.heads

    def directory(self) -> list[tuple[str, str, str]]:
        return [(row["alias"], row["salt"], row["name"]) for row in self.books.directory]

    def old_rows(self) -> list[Row]:
        return []

    def witnessed(self) -> list[str]:
        return []


def read(path: Path) -> Books:
    with sqlite3.connect(path) as database:
        database.row_factory = sqlite3.Row
        order = {"log": "seq", "heads": "size", "directory": "alias"}
        found = [[dict(row) for row in database.execute(f"SELECT * FROM {t} ORDER BY {order[t]}")] for t in TABLES]
    database.close()
    return Books(*found)


def write(path: Path, books: Books) -> None:
    """Everything back, leaves recomputed, past triggers and indices."""
    for row in books.log:
        row["leaf"] = leaf_of(row | {"alias": row["client"]}).hex()
    with sqlite3.connect(path) as database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        for index in ("log_once", "one_alias"):
            database.execute(f"DROP INDEX {index}")
        for table, rows in zip(TABLES, (books.log, books.heads, books.directory), strict=True):
            database.execute(f"DELETE FROM {table}")
            for row in rows:
                names, holes = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
                database.execute(f"INSERT INTO {table} ({names}) VALUES ({holes})", list(row.values()))
    database.close()


def sign_anew(books: Books, key: Ed25519PrivateKey) -> None:
    """Heads at the same sizes as before, and at the end, over the rows as they are now."""
    leaves = [leaf_of(row | {"alias": row["client"]}) for row in books.log]
    tree, at = Tree(leaves), books.log[-1]["at"]
    sizes = sorted({head["size"] for head in books.heads if head["size"] <= len(leaves)} | {len(leaves)})
    job = books.log[0]["job"]
    books.heads = [Head(job, size, tree.root(size).hex(), at, "").signed(key).as_dict() for size in sizes]


def terms(books: Books, **changed: Any) -> None:
    books.log[0]["terms"] = json.dumps(json.loads(books.log[0]["terms"]) | changed)


def swap(rows: list[Row], name: str) -> None:
    rows[0][name], rows[1][name] = rows[1][name], rows[0][name]


def exchange_aliases(books: Books) -> None:
    one, two = books.directory[0]["alias"], books.directory[1]["alias"]
    for row in books.log:
        row["client"] = {one: two, two: one}.get(row["client"], row["client"])


def dearer(books: Books) -> None:
    """A higher weight for one client, and everything that follows from it, to the unit."""
    paid = books.of("payment", 1)[1]
    for row in books.log:
        if row["kind"] in ("offer", "commitment") and (row["client"], row["round"]) == (paid["client"], 1):
            offer = json.loads(row["offer"])
            row["offer"] = json.dumps(offer | {"weight": offer["weight"] * 1.5}, separators=(",", ":"))
    raised = paid["payment"] * 3 // 2
    books.of("round", 1)[0]["payment"] += raised - paid["payment"]
    paid["payment"] = raised


def exchange_rows(books: Books) -> None:
    books.log[3], books.log[4] = books.log[4], books.log[3]
    books.number()


def paid_out_twice(books: Books) -> None:
    books.log.append(books.of("payout")[0] | {"claim": "again"})
    books.number()


END = 10**6
# What is done, and whether even a head signed by the true key would not hide it: the rows contradict themselves.
Forgery = tuple[Callable[[Books], Any], bool]
FORGERIES: dict[str, Forgery] = {
    "a payment is raised": (lambda b: b.of("payment")[0].update(payment=10**9), True),
    "a payment is lowered": (lambda b: b.of("payment")[1].update(payment=1), True),
    "payments are exchanged": (lambda b: swap(b.of("payment", 2), "client"), True),
    "a payment is removed": (lambda b: b.remove(b.of("payment", 2)[0]), True),
    "a payment is made twice": (lambda b: b.insert(b.log.index(b.of("payment")[0])), True),
    "a million in round 0": (lambda b: b.insert(END, round=0, payment=10**15), True),
    "a million in round -1": (lambda b: b.insert(END, round=-1, payment=10**15), True),
    "a million in a round that never was": (lambda b: b.insert(END, round=99, payment=10**15), True),
    "a million in a closed round": (lambda b: b.insert(END, payment=10**15), True),
    "a kind that is not known": (lambda b: b.insert(END, kind="bonus"), True),
    "an amount in an answer": (lambda b: b.of("answer")[0].update(payment=10**9), True),
    "an amount that is text": (lambda b: b.of("payment")[0].update(payment="much"), True),
    "an amount that is a float": (lambda b: b.of("payment")[0].update(payment=0.5), True),
    "a higher weight, and all that follows": (dearer, False),
    "an answer is larger": (lambda b: b.of("answer", 1)[0].update(size=4.9), True),
    "a refused answer counts": (lambda b: b.of("answer", 2)[0].update(verdict="late"), True),
    "another claim": (lambda b: b.of("answer")[0].update(claim="7"), False),
    "a pledge is changed": (lambda b: b.of("pledge")[0].update(size=0.5), True),
    "a commitment is changed": (lambda b: b.of("commitment")[0].update(offer=b.of("commitment")[1]["offer"]), True),
    "another accuracy": (lambda b: b.of("round")[0].update(accuracy=0.99), False),
    "another total of a round": (lambda b: b.of("round")[0].update(payment=5), True),
    "a round is not closed": (lambda b: b.remove(b.of("round", 2)[0]), True),
    "a whole round is removed": (lambda b: b.remove(*(row for row in b.log if row["round"] == 2)), True),
    "the last round is removed": (
        lambda b: b.remove(*b.of("payout"), *(row for row in b.log if row["round"] == 3)), False),
    "two rows are exchanged": (exchange_rows, False),
    "a gap in the numbers": (lambda b: [row.update(seq=row["seq"] + 1) for row in b.log[20:]], True),
    "the budget is raised": (lambda b: terms(b, budget=10**6), False),
    "the budget is lowered": (lambda b: terms(b, budget=1e-6), True),
    "the unit is changed": (lambda b: terms(b, unit="1e-6"), True),
    "the currency is changed": (lambda b: terms(b, currency="EUR"), False),
    "the terms are written twice": (lambda b: b.insert(END, **(b.log[0] | {"seq": 0})), True),
    "another time": (lambda b: b.of("payment")[0].update(at="2020-01-01T00:00:00.000000+00:00"), False),
    "a reversal is removed": (lambda b: b.remove(*b.of("reversal")), False),
    "more is taken back than was paid": (lambda b: b.of("reversal")[0].update(payment=-(10**12)), True),
    "a pay-out is removed": (lambda b: b.remove(b.of("payout")[0]), False),
    "a balance is paid out twice": (paid_out_twice, True),
    "a pay-out in round -1": (lambda b: b.of("payout")[1].update(round=-1), True),
    "a pay-out in round 1": (lambda b: b.of("payout")[1].update(round=1), True),
    "a pay-out is raised": (lambda b: b.of("payout")[0].update(payment=10**12), True),
    "a cap is lifted": (lambda b: b.remove(*b.of("cap")), True),
    "a client is blocked from the start": (
        lambda b: b.insert(1, kind="block", round=0, payment=None), True),
    "a job that was stopped": (lambda b: b.insert(END, kind="stop", round=0, client="", payment=None), False),
    "a fault is blamed": (
        lambda b: b.insert(END, kind="mechanism fault", round=3, client="", payment=None, claim="x"), False),
    "a second end after the same round": (lambda b: b.insert(END, kind="end", round=3, client="", payment=None), True),
    "an end after a round that others followed": (
        lambda b: b.insert(END, kind="end", round=2, client="", payment=None), True),
    "an end of a client": (lambda b: b.of("end")[0].update(client=b.of("payment")[0]["client"]), True),
    "an end is removed": (lambda b: b.remove(*b.of("end")), False),
    "aliases are exchanged": (exchange_aliases, False),
    "names are exchanged": (lambda b: swap(b.directory, "name"), True),
    "a name is replaced": (lambda b: b.directory[0].update(name="me"), True),
    "a row of another job": (lambda b: b.of("answer")[0].update(job="other"), True),
    "an old version": (lambda b: b.of("payment")[0].update(version=1, chain="0" * 64), True),
}  # fmt: skip
