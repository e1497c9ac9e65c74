"""Engines for the ledger: SQLite (durable settings) and PostgreSQL, brought to the newest schema, or only read."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError

from lefi.errors import InputError, LefiError
from lefi.ledger.private import touch_private

READERS = 60  # connections at once besides those that are kept; a service has many threads
PLACES = "a file, sqlite:///file or postgresql://host/database"
_USER = re.compile(r"(://[^/@:]*):[^/]*@")
_QUERY = re.compile(r"((?:password|passwd|pwd|passphrase|sslpassword|token|secret)\s*=\s*)('[^']*'|[^&\s]+)", re.I)


class Unusable(LefiError):
    """A database that refuses, or that is not there."""


def masked(text: object) -> str:
    """A URL, or a message that quotes one, without its passwords."""
    return _QUERY.sub(r"\1***", _USER.sub(r"\1:***@", str(text)))


def read_url(location: str | Path) -> URL:
    """The URL of a ledger; a plain path is an SQLite file."""
    text = str(location)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise InputError("ledger", masked(text), PLACES) from None
    kind = url.get_backend_name() if url.drivername.split("+")[0] in ("sqlite", "postgresql") else None
    if kind is None:
        raise InputError("ledger", masked(text), PLACES)
    return url.set(drivername="postgresql+psycopg") if kind == "postgresql" else url


def shown(url: URL) -> str:
    """The place of a ledger as it may be shown."""
    return masked(url.render_as_string(hide_password=True))


def open_engine(url: URL, reading: bool = False) -> Engine:
    """An engine whose commits survive a crash of the process and of the machine; or one that cannot write."""
    sqlite = url.get_backend_name() == "sqlite"
    try:
        engine = create_engine(_read_only(url) if sqlite and reading else url, max_overflow=READERS)
    except ModuleNotFoundError as error:
        raise LefiError(f"a PostgreSQL ledger needs {error.name}: pip install 'lefi-fl[postgres]'") from None
    except ArgumentError:
        raise InputError("ledger", shown(url), PLACES) from None
    if sqlite:
        event.listen(engine, "connect", _patient if reading else _durable)
        event.listen(engine, "begin", _begin)
    elif reading:
        engine = engine.execution_options(postgresql_readonly=True)
    return engine


def _read_only(url: URL) -> URL:
    """The same file, opened so that nothing can be changed. A reader joins a log that a server is writing."""
    path = Path(url.database or "").resolve()
    # Where nobody writes and nothing may be created beside the file, SQLite reads it only as one that never changes.
    still = not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()
    query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if still else {})
    return url.set(database=path.as_uri(), query=query)


def connect(engine: Engine, url: URL, create: bool, reading: bool = False) -> Connection:
    """A connection to a ledger of the newest schema; without `create` one must be there."""
    if create and url.get_backend_name() == "sqlite" and url.database and Path(url.database).parent.is_dir():
        touch_private(Path(url.database))
    with clear_errors(url):
        connection = engine.connect()
        _upgrade(connection, url, create, reading)
    return connection


@contextmanager
def clear_errors(url: URL) -> Iterator[None]:
    """Turn what the database refuses (not one, corrupt, full disk, no rights) into one clear line."""
    try:
        yield
    except IntegrityError:
        raise
    except (DatabaseError, _driver_error(url)) as error:
        reason = str(getattr(error, "orig", error)).strip().splitlines()
        said = masked(reason[0]) if reason else type(error).__name__
        raise Unusable(f"the ledger {shown(url)} cannot be used: {said}") from None


def _driver_error(url: URL) -> type[Exception]:
    """What the driver raises by itself, where SQLAlchemy does not stand between: in the pragmas of a new connection."""
    return cast(type[Exception], url.get_dialect().import_dbapi().Error)


def _durable(connection: Any, _: object) -> None:
    # The driver must not open transactions of its own: with explicit ones the migrations are atomic, too.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _patient(connection: Any, _: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=10000").close()


def _begin(connection: Connection) -> None:
    # Writers take their turn at once; readers never make the server wait.
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    return config


@cache
def _revisions() -> tuple[frozenset[str], str | None]:
    """All schemas that this version knows, and the newest."""
    scripts = ScriptDirectory.from_config(_migrations())
    return frozenset(step.revision for step in scripts.walk_revisions()), scripts.get_current_head()


def _upgrade(connection: Connection, url: URL, create: bool, reading: bool) -> None:
    known, head = _revisions()
    if reading:
        connection = connection.execution_options(reading=True)
    with connection.begin():
        current = MigrationContext.configure(connection).get_current_revision()
        if current is None and not create:
            raise LefiError(f"{shown(url)} holds no ledger")
        if current is not None and current not in known:
            raise LefiError(f"{shown(url)} was written by a newer lefi (schema {current}): upgrade lefi")
        if current != head and reading:
            raise LefiError(f"{shown(url)} was written by an older lefi: run `lefi ledger migrate` on it")
        if current != head:
            config = _migrations()
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, "head")
            except (TypeError, ValueError) as error:
                raise LefiError(f"the rows of {shown(url)} are not as they were written: {error}") from None


def back_up(engine: Engine, target: Engine) -> None:
    """Copy a live SQLite ledger whole, what is still in its write-ahead log included."""
    source, copy = engine.raw_connection(), target.raw_connection()
    try:
        cast(Any, source.driver_connection).backup(cast(Any, copy.driver_connection))
    finally:
        source.close()
        copy.close()
