"""Engines for the ledger: SQLite (durable settings) and PostgreSQL, brought to the newest schema."""

from collections.abc import Iterator
from contextlib import contextmanager
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


def read_url(location: str | Path) -> URL:
    """The URL of a ledger; a plain path is an SQLite file."""
    text = str(location)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError:
        raise InputError("ledger", text, "a file, sqlite:///file or postgresql://host/database") from None
    kind = url.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise InputError("ledger", text, "a file, sqlite:///file or postgresql://host/database")
    return url.set(drivername="postgresql+psycopg") if kind == "postgresql" else url


def open_engine(url: URL) -> Engine:
    """An engine whose commits survive a crash of the process and of the machine."""
    try:
        engine = create_engine(url)
    except ModuleNotFoundError as error:
        raise LefiError(f"a PostgreSQL ledger needs {error.name}: pip install 'lefi-fl[postgres]'") from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _durable)
        event.listen(engine, "begin", _begin)
    return engine


def connect(engine: Engine, create: bool) -> Connection:
    """A connection to a ledger of the newest schema; without `create` one must be there."""
    with clear_errors(engine.url):
        connection = engine.connect()
        _upgrade(connection, create)
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
        raise LefiError(f"the ledger {url!r} cannot be used: {reason[0] if reason else type(error).__name__}") from None


def _driver_error(url: URL) -> type[Exception]:
    """What the driver raises by itself, where SQLAlchemy does not stand between: in the pragmas of a new connection."""
    return cast(type[Exception], url.get_dialect().import_dbapi().Error)


def _durable(connection: Any, _: object) -> None:
    # The driver must not open transactions of its own: with explicit ones the migrations are atomic, too.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    # Writers take their turn at once; readers never make the server wait.
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _upgrade(connection: Connection, create: bool) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    head = scripts.get_current_head()
    with connection.begin():
        current = MigrationContext.configure(connection).get_current_revision()
        if current is None and not create:
            raise LefiError(f"{connection.engine.url!r} holds no ledger")
        if current is not None and current not in {step.revision for step in scripts.walk_revisions()}:
            raise LefiError(f"{connection.engine.url!r} was written by a newer lefi (schema {current}): upgrade lefi")
        if current != head:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
