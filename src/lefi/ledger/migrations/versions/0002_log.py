"""The signed log: whole units of money, offers of any kind, aliases for names; old rows become its first leaves.

Everything that old rows need is written out here, so that later versions of lefi cannot change what they become.
"""

import json
import secrets
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

UNITS = 1e9  # nano-dollars of a dollar
BATCH = 1000  # rows that are copied at once
MANY = "('answer', 'payout', 'cap', 'block', 'unblock', 'pause', 'resume', 'stop')"
LEAF = (
    "job", "seq", "round", "kind", "client", "iid", "rate", "offer", "size", "payment", "accuracy", "claim", "verdict",
    "terms", "at", "chain",
)  # fmt: skip

log = sa.table("log", *(sa.column(name) for name in (*LEAF, "version", "leaf")))
directory = sa.table("directory", *(sa.column(name) for name in ("job", "alias", "salt", "name")))


def upgrade() -> None:
    _create()
    _copy(op.get_bind())
    for statement in REFUSE[op.get_bind().dialect.name]:
        op.execute(statement)


def _create() -> None:
    op.create_table(
        "log",
        sa.Column("job", sa.String(100), primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("client", sa.String(100), nullable=False),
        sa.Column("iid", sa.Double),
        sa.Column("rate", sa.Double),
        sa.Column("offer", sa.Text),
        sa.Column("size", sa.Double),
        sa.Column("payment", sa.BigInteger),
        sa.Column("accuracy", sa.Double),
        sa.Column("claim", sa.String(100)),
        sa.Column("verdict", sa.String(40)),
        sa.Column("terms", sa.Text),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("chain", sa.String(64)),
        sa.Column("leaf", sa.String(64), nullable=False),
    )
    once, where = ["job", "round", "kind", "client"], sa.text(f"kind NOT IN {MANY}")
    op.create_index("log_once", "log", once, unique=True, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "heads",
        sa.Column("job", sa.String(100), primary_key=True),
        sa.Column("size", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("root", sa.String(64), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128), nullable=False),
    )
    op.create_table(
        "directory",
        sa.Column("job", sa.String(100), primary_key=True),
        sa.Column("alias", sa.String(40), primary_key=True),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
    )
    op.create_index("one_alias", "directory", ["job", "name"], unique=True)


def _copy(connection: Any) -> None:
    """Old rows, with aliases for names and whole units for payments; a round's total is that of its payments."""
    aliases: dict[tuple[str, str], tuple[str, str]] = {}
    paid: dict[tuple[str, int], int] = {}
    after = "SELECT * FROM entries WHERE (job, seq) > (:job, :seq) ORDER BY job, seq LIMIT :most"
    last = {"job": "", "seq": 0, "most": BATCH}
    while rows := connection.execute(sa.text(after), last).mappings().all():
        connection.execute(log.insert(), [_converted(dict(row), aliases, paid) for row in rows])
        last |= {"job": rows[-1]["job"], "seq": rows[-1]["seq"]}
    if aliases:
        found = [
            {"job": job, "alias": alias, "salt": salt, "name": name} for (job, name), (alias, salt) in aliases.items()
        ]
        connection.execute(directory.insert(), found)


def _converted(
    row: dict[str, Any], aliases: dict[tuple[str, str], tuple[str, str]], paid: dict[tuple[str, int], int]
) -> dict[str, Any]:
    job, round, kind, name = row["job"], row["round"], row["kind"], row["client"]
    new = {column: row.get(column) for column in LEAF} | {"chain": row["hash"], "offer": None}
    if name and (job, name) not in aliases:
        salt = secrets.token_hex(16)
        aliases[job, name] = (sha256(f"{salt}{len(job)}:{job}{name}".encode()).hexdigest()[:40], salt)
    if name:
        new["client"] = aliases[job, name][0]
    if kind in ("offer", "commitment"):
        new["offer"] = json.dumps({"kind": "curve", "weight": row["weight"], "limit": row["limit"]})
    if kind == "payment":
        units = int(row["payment"] * UNITS // 1)
        new["payment"], paid[job, round] = units, paid.get((job, round), 0) + units
    if kind == "round":
        new["payment"] = paid.get((job, round), 0)
    text = json.dumps([1, *[new[column] for column in LEAF]], allow_nan=False, separators=(",", ":"))
    return new | {"version": 1, "leaf": sha256(b"\x00" + text.encode()).hexdigest()}


# Old rows may be deleted from now on, so that a person can be forgotten; the log keeps their hashes.
REFUSE = {
    "sqlite": [
        *(
            f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"
            for table in ("log", "heads")
            for verb in ("UPDATE", "DELETE")
        ),
        "DROP TRIGGER entries_no_delete",
        """CREATE TRIGGER entries_no_insert BEFORE INSERT ON entries
        BEGIN SELECT RAISE(ABORT, 'old rows are not added to'); END""",
    ],
    "postgresql": [
        *(
            f"CREATE TRIGGER {table}_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION lefi_only_grows()"
            for table in ("log", "heads")
        ),
        "DROP TRIGGER entries_only_grow ON entries",
        """CREATE TRIGGER entries_only_grow BEFORE INSERT OR UPDATE OR TRUNCATE ON entries
        FOR EACH STATEMENT EXECUTE FUNCTION lefi_only_grows()""",
    ],
}
