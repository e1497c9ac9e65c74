"""What the Flower tests share; without Flower there is nothing to test here."""

from importlib.util import find_spec

MISSING = [name for name in ("flwr", "sqlalchemy", "alembic") if find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if MISSING else []


def pytest_report_header() -> str | None:
    return f"tests/flower is left out: {', '.join(MISSING)} missing" if MISSING else None
