"""Extras stay extras: the core does without them, and who needs one is told which."""

import os
import subprocess
import sys

import pytest

EXTRAS = (
    "flwr",
    "fastapi",
    "uvicorn",
    "sqlalchemy",
    "alembic",
    "cryptography",
    "psycopg",
    "distributed",
    "torch",
    "gymnasium",
)


def python(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=False
    )


def test_the_core_and_the_command_line_import_no_extra() -> None:
    done = python(
        f"import sys, lefi, lefi.cli; print([name for name in {EXTRAS} if name in sys.modules])", LEFI_ENGINE="numpy"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(("engine", "imported"), [("numba", "True"), ("numpy", "False")])
def test_numba_is_imported_only_where_it_is_wanted(engine: str, imported: str) -> None:
    done = python("import sys, lefi, lefi.cli; print('numba' in sys.modules)", LEFI_ENGINE=engine)
    assert done.stdout.strip() == imported, done.stderr


@pytest.mark.parametrize(
    ("missing", "use", "extra"),
    [
        ("flwr", "import lefi.flower", "lefi-fl[flower]"),
        ("sqlalchemy", "import lefi.ledger", "lefi-fl[ledger]"),
        ("alembic", "import lefi.ledger", "lefi-fl[ledger]"),
        ("fastapi", "import lefi.serve", "lefi-fl[serve]"),
        ("gymnasium", "from lefi.gym import MarketEnv", "lefi-fl[drl]"),
        ("stable_baselines3", "import sys; sys.modules['gymnasium'] = None; from lefi.gym import MarketVecEnv",
         "lefi-fl[drl]"),
        ("distributed", "list(__import__('lefi.studies.run.cluster').studies.run.cluster.finish_on_cluster([], 'dask://a:1'))",
         "lefi-fl[cluster]"),
        ("distributed", "import lefi.cluster; lefi.cluster.opened('local:2').__enter__()", "lefi-fl[cluster]"),
    ],
)  # fmt: skip
def test_a_missing_extra_is_named(missing: str, use: str, extra: str) -> None:
    done = python(f"import sys; sys.modules[{missing!r}] = None\n{use}", LEFI_ENGINE="numpy")  # starts faster
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("lefi.errors.LefiError")
    assert extra in last
