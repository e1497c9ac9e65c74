"""Which tests need which extras. Where one is missing that is an error, unless only the core is to be tested.

LEFI_TESTS=core (`make core`, `make lowest`) leaves out the tests of extras that are not installed, and says so.
"""

import os
from importlib.util import find_spec
from pathlib import Path

TESTS = Path(__file__).parent
LEDGER = ("alembic", "cryptography", "sqlalchemy")
NEEDS = {
    "books": (*LEDGER, "psycopg"),
    "cluster/test_engines.py": ("distributed",),
    "cli/test_ledger_command.py": (*LEDGER, "flwr"),
    "cli/test_trust_command.py": (*LEDGER, "flwr", "torch"),
    "databases": (*LEDGER, "psycopg"),
    "docs/test_programs.py": (*LEDGER, "flwr"),
    "docs/test_reference.py": (*LEDGER, "flwr"),
    "flower": (*LEDGER, "flwr", "psycopg", "ray"),
    "gym/test_environment.py": ("gymnasium", "stable_baselines3"),
    "ledger": (*LEDGER, "flwr", "psycopg"),
    "profiling": ("torch",),
    "serve": (*LEDGER, "fastapi", "flwr", "psycopg", "uvicorn"),
    "serve/pages": ("playwright",),
    "studies/test_cluster.py": ("distributed",),
}


def missing(place: str) -> list[str]:
    return [name for name in NEEDS[place] if find_spec(name) is None]


def left_out() -> dict[Path, list[str]]:
    """Places under tests that lack an extra, and which packages they lack."""
    return {TESTS / place: lacking for place in NEEDS if (lacking := missing(place))}


def core_only() -> bool:
    return os.environ.get("LEFI_TESTS") == "core"
