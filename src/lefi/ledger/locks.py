"""One server per job, and one write at a time.

The lock of a server belongs to its database session (PostgreSQL) or its process (SQLite: a lock file beside the
database), so a kill frees it. Orders of the operator come in between: they hold the second lock for one transaction.
"""

import os
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection, text

from lefi.errors import LefiError
from lefi.ledger.private import touch_private

try:
    import fcntl
except ModuleNotFoundError:  # Windows: two servers still collide on the row number
    fcntl = None  # type: ignore[assignment]

PATIENCE = 30.0  # seconds that a dead server's session may last

_turns: dict[str, threading.Lock] = {}  # by database

Held = tuple[int, str]  # process and lock file: a fork does not hold what its parent holds
_held: dict[Held, list[int]] = {}  # -> [handle, holders in this process]; closing a second handle would free it


def lock(connection: Connection, job: str) -> Held | None:
    """Keep other servers of this job out; what `unlock` takes, where there is a lock file."""
    if connection.dialect.name == "postgresql":
        _lock_session(connection, job)
        return None
    database = connection.engine.url.database
    if fcntl is None or not database or database == ":memory:":
        return None
    path = f"{Path(database).resolve()}.{sha256(job.encode()).hexdigest()[:8]}.lock"
    held = (os.getpid(), path)
    if held not in _held:
        _held[held] = [_lock_file(path, job), 0]
    _held[held][1] += 1
    return held


def unlock(held: Held | None) -> None:
    """Let others in. A session's lock ends with the session."""
    if held is None or held not in _held:
        return
    _held[held][1] -= 1
    if _held[held][1] == 0:
        os.close(_held.pop(held)[0])


def own_turn(connection: Connection) -> AbstractContextManager[object]:
    """Threads of this process write to an SQLite file one after another: SQLite itself would let them wait in vain."""
    if connection.dialect.name == "postgresql":
        return nullcontext()
    return _turns.setdefault(str(connection.engine.url.database), threading.Lock())


def take_turn(connection: Connection, job: str) -> None:
    """Inside a transaction: nobody else writes to this job until it ends. SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _key("turn", job)})


def _lock_file(path: str, job: str) -> int:
    touch_private(Path(path))
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise LefiError(f"another server writes to job {job!r} of this ledger") from None
    return handle


def _lock_session(connection: Connection, job: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        with connection.begin():
            if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _key("lefi", job)}):
                return
        if time.monotonic() > end:
            raise LefiError(f"another server writes to job {job!r} of this ledger")
        time.sleep(0.05)


def _key(what: str, job: str) -> int:
    return int.from_bytes(sha256(f"{what} {job}".encode()).digest()[:8], "big", signed=True)
