"""Budgets that change: an order like others, of which there may be many. Orders and closed rounds are found at once."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ORDERS = "('cap', 'block', 'unblock', 'pause', 'resume', 'stop', 'budget')"
MANY = f"('answer', 'payout', {ORDERS[1:-1]})"


def upgrade() -> None:
    once, where = ["job", "round", "kind", "client"], sa.text(f"kind NOT IN {MANY}")
    op.drop_index("log_once", "log")
    op.create_index("log_once", "log", once, unique=True, sqlite_where=where, postgresql_where=where)
    for name, columns, some in (
        ("log_orders", ["job", "seq"], sa.text(f"kind IN {ORDERS}")),
        ("log_closed", ["job", "round"], sa.text("kind = 'round'")),
    ):
        op.create_index(name, "log", columns, sqlite_where=some, postgresql_where=some)
