"""The one table of the durable ledger, as the newest migration leaves it.

A row (entry) is one of these kinds:
job         the terms of the job, once
offer       weight, rate, limit that a client was offered, with its iid
pledge      two-phase rounds: the size that a client said it would use
commitment  two-phase rounds: weight and limit after re-scaling, binding for the server
answer      what came back, with the verdict on it
payment     USD paid to a client for a round
... fault   what failed on the server's side in this round: strategy, measure, mechanism
round       closes a round: total paid, accuracy
Rows are only ever added, and a round is closed in the transaction that pays it.
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, String, Table, Text

tables = MetaData()

entries = Table(
    "entries",
    tables,
    Column("job", String(100), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("round", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("client", String(200), nullable=False),  # "" where the row is about the whole round
    Column("iid", Double),
    Column("rate", Double),
    Column("weight", Double),
    Column("limit", Double),
    Column("size", Double),
    Column("payment", Double),
    Column("accuracy", Double),
    Column("claim", String(100)),  # what the client said, in its own words
    Column("verdict", String(40)),
    Column("terms", Text),
    Column("at", String(32), nullable=False),  # wall clock, UTC
    Column("hash", String(64), nullable=False),
)

# Nobody is promised or paid twice for a round: the database itself refuses. A client may answer more than once.
_not_answer = entries.c.kind != "answer"
Index(
    "once",
    *(entries.c[name] for name in ("job", "round", "kind", "client")),
    unique=True,
    sqlite_where=_not_answer,
    postgresql_where=_not_answer,
)

FLOATS = ("iid", "rate", "weight", "limit", "size", "payment", "accuracy")
COLUMNS = tuple(column.name for column in entries.columns)
CLOCK = ("at", "hash")  # differ from run to run: the hash covers the time
