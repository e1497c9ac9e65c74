"""The tables of the durable ledger, as the newest migration leaves them.

log        all rows of all jobs; rows are only ever added
heads      a signed tree head after every write, see `lefi.ledger.heads`
directory  who is behind an alias, see `lefi.ledger.aliases`; it may lose rows, so that a person can be forgotten
entries    rows as the first schema had them, for the hash chain of that time; nothing is added to it

Kinds of rows, and what they say:
job         the terms of the job, once
call        auctions: what was called for before the bids, and what it is worth
offer       what a client was offered, with its iid and rate
pledge      two-phase rounds: the size that a client said it would use
commitment  two-phase rounds: the offer within the pledges, binding for the server
answer      what came back, with the verdict on it
payment     units paid to a client for a round
... fault   what failed on the server's side in this round: strategy, measure, mechanism
round       closes a round: total paid, accuracy; in the transaction that pays it
end         after this round a server had played all that it was asked for; a further round goes on all the same
reversal    takes back a payment of that round, in part or whole: a negative amount
payout      marks a balance as paid out, in a batch
held, released, forfeited, restored   pay that waits until the work was looked at, see `lefi.ledger.withholding`
evidence    what an update says about the work behind it: the score that speaks loudest, and the log of the evidence
accused     the evidence was strong enough; a block follows        appeal   what was decided about it
audits      the commitment to the audits of the job, before the first offers; reveal: the secret behind it
audit       what the operator's own check of a client's work in that round has found
cap         the most that a client is paid in all; block, unblock; pause, resume, stop of the job
budget      what each round may pay from the next one on; in front of the offers of a round: what that one may pay
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, String, Table, Text, bindparam, text

tables = MetaData()

log = Table(
    "log",
    tables,
    Column("job", String(100), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),  # of the columns that the leaf covers, see lefi.ledger.leaves
    Column("round", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("client", String(100), nullable=False),  # alias; "" where the row is about the whole round or job
    Column("iid", Double),
    Column("rate", Double),
    Column("offer", Text),  # JSON: the class of the offer and its columns
    Column("size", Double),
    Column("payment", BigInteger),  # units, see lefi.ledger.money
    Column("accuracy", Double),
    Column("claim", String(100)),  # what the client said, in its own words; the reason for a row of accounting
    Column("verdict", String(40)),
    Column("terms", Text),
    Column("at", String(32), nullable=False),  # wall clock, UTC
    Column("chain", String(64)),  # rows of the first schema: their hash in its chain
    Column("leaf", String(64), nullable=False),
)

heads = Table(
    "heads",
    tables,
    Column("job", String(100), primary_key=True),
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("root", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    Column("key", String(64), nullable=False),
    Column("signature", String(128), nullable=False),
)

directory = Table(
    "directory",
    tables,
    Column("job", String(100), primary_key=True),
    Column("alias", String(40), primary_key=True),
    Column("salt", String(32), nullable=False),
    Column("name", String(200), nullable=False),
)
Index("one_alias", directory.c.job, directory.c.name, unique=True)

OLD_FLOATS = ("iid", "rate", "weight", "limit", "size", "payment", "accuracy")
entries = Table(
    "entries",
    tables,
    Column("job", String(100), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("round", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("client", String(200), nullable=False),
    *(Column(name, Double) for name in OLD_FLOATS),
    Column("claim", String(100)),
    Column("verdict", String(40)),
    Column("terms", Text),
    Column("at", String(32), nullable=False),
    Column("hash", String(64), nullable=False),
)
_once = [entries.c[name] for name in ("job", "round", "kind", "client")]
Index("once", *_once, unique=True, sqlite_where=entries.c.kind != "answer", postgresql_where=entries.c.kind != "answer")

# Nobody is promised or paid twice for a round: the database itself refuses. Of these kinds there may be many.
ORDERS = ("cap", "block", "unblock", "pause", "resume", "stop", "budget")  # of the operator, obeyed at the next round
MANY = ("answer", "payout", *ORDERS)
_single = log.c.kind.not_in(MANY)
Index(
    "log_once",
    *(log.c[name] for name in ("job", "round", "kind", "client")),
    unique=True,
    sqlite_where=_single,
    postgresql_where=_single,
)

# Written out, for databases take an index of some rows only where a query says the same words.
ORDERED, CLOSED = text(f"kind IN {ORDERS}"), text("kind = 'round'")
Index("log_orders", log.c.job, log.c.seq, sqlite_where=ORDERED, postgresql_where=ORDERED)
Index("log_closed", log.c.job, log.c.round, sqlite_where=CLOSED, postgresql_where=CLOSED)

INDEXED = log.c.kind.not_in(bindparam("many", MANY, expanding=True, literal_execute=True))  # as `log_once` says it

EARNED = ("payment", "reversal", "forfeited", "restored")  # what they add up to is what a client has earned
WAITING = ("held", "released")
JUDGED = ("evidence", "accused", "audit", "appeal")  # what was found out about the work of a round
LATER = ("reversal", "forfeited", "restored", *WAITING, *JUDGED, "end")  # rows of a round that come after it is closed
FLOATS = ("iid", "rate", "size", "accuracy")
WHOLE = ("seq", "version", "round", "payment")
COLUMNS = tuple(column.name for column in log.columns)
CLOCK = ("at", "chain", "leaf")  # differ from run to run: the leaf covers the time
