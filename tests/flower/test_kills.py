"""A killed server leaves no trace in the ledger (`make kills` does the same 200 times)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lengths import amount

ROOT = Path(__file__).parents[2]
SQLITE, POSTGRESQL = amount(10, 4), amount(5, 2)  # kills


def torment(*arguments: str) -> str:
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # forks and threads do not mix
    command = [sys.executable, "-m", "tests.flower.kills", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | threads, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_some_kills_on_sqlite() -> None:
    assert int(torment("--kills", str(SQLITE)).split()[0]) >= SQLITE


@pytest.mark.slow
def test_some_kills_on_postgresql(postgres_server: str) -> None:
    assert int(torment("--kills", str(POSTGRESQL), "--seed", "1", "--server", postgres_server).split()[0]) >= POSTGRESQL
