"""A place for a ledger on each database: a file of SQLite, and a PostgreSQL server that the tests start and stop."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    if not (postgres.binary("initdb") and postgres.binary("postgres")):
        pytest.skip("PostgreSQL is not installed")
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_place(postgres_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of the test's own."""
    from sqlalchemy import create_engine, text

    name = f"test_{abs(hash(request.node.nodeid))}"
    engine = create_engine(postgres_server.replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield postgres_server.replace("/postgres?", f"/{name}?")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A ledger that does not exist yet, on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    monkeypatch.setenv("LEFI_KEY", str(tmp_path / "postgres.key"))
    return str(request.getfixturevalue("postgres_place"))
