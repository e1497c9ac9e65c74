"""The table of entries, which only grows."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

FLOATS = ("iid", "rate", "weight", "limit", "size", "payment", "accuracy")
NOT_ANSWER = sa.text("kind <> 'answer'")


def upgrade() -> None:
    op.create_table(
        "entries",
        sa.Column("job", sa.String(100), primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("client", sa.String(200), nullable=False),
        *(sa.Column(name, sa.Double) for name in FLOATS),
        sa.Column("claim", sa.String(100)),
        sa.Column("verdict", sa.String(40)),
        sa.Column("terms", sa.Text),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    columns = ["job", "round", "kind", "client"]
    op.create_index("once", "entries", columns, unique=True, sqlite_where=NOT_ANSWER, postgresql_where=NOT_ANSWER)
    for statement in REFUSE[op.get_bind().dialect.name]:
        op.execute(statement)


# A slip of the hand cannot change what was written; who removes the triggers first is found by the hash chain.
REFUSE = {
    "sqlite": [
        f"CREATE TRIGGER entries_no_{verb.lower()} BEFORE {verb} ON entries "
        "BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        """CREATE FUNCTION lefi_only_grows() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the ledger only grows'; END $$""",
        """CREATE TRIGGER entries_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
        FOR EACH STATEMENT EXECUTE FUNCTION lefi_only_grows()""",
    ],
}
