"""One writer per job on PostgreSQL.

The lock belongs to the database session, so after a kill it is free only when the dead server's last commit is through.
SQLite needs none: a killed process cannot commit later, and two live ones collide on the row number.
"""

import time
from hashlib import sha256

from sqlalchemy import Connection, text

from lefi.errors import LefiError

PATIENCE = 30.0  # seconds


def lock(connection: Connection, job: str) -> None:
    """Wait until this session is the only writer of the job."""
    if connection.dialect.name != "postgresql":
        return
    key = int.from_bytes(sha256(f"lefi {job}".encode()).digest()[:8], "big", signed=True)
    end = time.monotonic() + PATIENCE
    while True:
        with connection.begin():
            if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
                return
        if time.monotonic() > end:
            raise LefiError(f"another server writes to job {job!r} of this ledger")
        time.sleep(0.05)
