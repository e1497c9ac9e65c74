"""A ledger that the first schema wrote: it is brought over whole, its old chain still counts, and the job goes on.

`old/schema-0001.db` was written by lefi at commit 25fd827, and `old/schema-0001.json` is what was read from it then.
"""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lefi import LefiError
from lefi.cli import app
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Ledger, Money
from lefi.ledger.audit import verify
from lefi.ledger.keys import read_public
from tests.flower import toy

OLD = Path(__file__).parent / "old"
TOLD: dict[str, Any] = json.loads((OLD / "schema-0001.json").read_text())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(OLD / "schema-0001.db", tmp_path / "ledger.db"))


def lefi(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["ledger", *map(str, arguments)])


def findings(path: Path, job: str) -> list[str]:
    with Ledger(path, job=job, reading=True) as ledger:
        return verify(ledger, read_public(f"{path}.pub")).findings


def test_a_look_does_not_migrate(old: Path) -> None:
    before = old.read_bytes()
    for command in (("show", old), ("verify", old), ("export", old, old.parent / "out.csv")):
        result = lefi(*command, "--job", "one")
        assert result.exit_code == 2
        assert "lefi ledger migrate" in result.stderr
    assert old.read_bytes() == before


@pytest.mark.parametrize("job", ["one", "two"])
def test_nothing_is_lost(old: Path, job: str) -> None:
    assert lefi("migrate", old).exit_code == 0
    with Ledger(old, job=job, reading=True) as ledger:
        receipts, rows = list(ledger.receipts()), list(ledger.rows())
        assert not verify(ledger, read_public(f"{old}.pub")).findings
    assert len(rows) == TOLD[job]["rows"]
    assert rows[-1]["chain"] == TOLD[job]["head"]
    for receipt, told in zip(receipts, TOLD[job]["receipts"], strict=True):
        assert receipt.round == told["round"]
        # The mechanism hears what it heard then; another processor may round the last bit of an exponential otherwise.
        assert receipt.payments.tolist() == pytest.approx(told["payments"], rel=1e-14, abs=0)
        assert receipt.offer.weight.tolist() == told["weight"]
        assert [None if np.isnan(size) else size for size in receipt.sizes] == told["sizes"]
        assert receipt.accuracy == told["accuracy"]
    paid = [row["payment"] for row in rows if row["kind"] == "payment"]
    assert sum(paid) == sum(sum(Money().units(np.array(told["payments"]))) for told in TOLD[job]["receipts"])
    assert lefi("verify", old, "--job", job).exit_code == 0


def test_the_job_goes_on(old: Path) -> None:
    """Job one was stopped in its fourth round: its offers stand, and new rows follow the old ones."""
    with Ledger(old, job="one") as ledger:
        pending = ledger.pending()
        assert pending is not None
        incentive = Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=ledger, seed=1)
        incentive.start(LocalGrid(toy.app(), 4), toy.model(), num_rounds=5)
        fourth = list(ledger.receipts())[3]
        versions = [row["version"] for row in ledger.rows()]
    np.testing.assert_array_equal(fourth.offer.weight, pending.offer.weight)
    assert versions == sorted(versions)
    assert set(versions) == {1, 2}
    assert not findings(old, "one")


@pytest.mark.parametrize(
    ("table", "harm"),
    [
        ("entries", "UPDATE entries SET payment = 9 WHERE kind = 'payment'"),
        ("entries", "UPDATE entries SET weight = 9 WHERE kind = 'offer' AND round = 2"),
        ("entries", "UPDATE entries SET client = 'me' WHERE kind = 'payment' AND client = 'client-0'"),
        ("log", "UPDATE log SET payment = 9 WHERE kind = 'payment' AND round = 1"),
        ("log", "UPDATE log SET chain = NULL WHERE seq = 5"),
    ],
)
def test_harm_to_old_rows_is_found(old: Path, table: str, harm: str) -> None:
    assert lefi("migrate", old).exit_code == 0
    with sqlite3.connect(old) as database:
        database.execute(f"DROP TRIGGER {table}_no_update")
        assert database.execute(harm).rowcount > 0
    assert findings(old, "one")


def test_a_person_can_be_forgotten(old: Path) -> None:
    """Its name is nowhere in the file any more, old rows included, and everything is still proved."""
    assert lefi("migrate", old).exit_code == 0
    assert b"client-1" in old.read_bytes()
    for job in ("one", "two"):
        assert lefi("forget", old, "client-1", "--job", job).exit_code == 0
        assert not findings(old, job)
    files = [path for path in old.parent.iterdir() if path.name.startswith("ledger.db") and path.is_file()]
    assert not any(b"client-1" in path.read_bytes() for path in files)
    with Ledger(old, job="one", reading=True) as ledger:
        assert sum("client-" in row["client"] for row in ledger.rows()) > 0
    assert lefi("forget", old, "client-1", "--job", "one").exit_code == 2


def test_a_ledger_that_cannot_be_migrated_stays_as_it_is(old: Path) -> None:
    with sqlite3.connect(old) as database:
        database.execute("DROP TRIGGER entries_no_update")
        database.execute("UPDATE entries SET payment = 'much' WHERE kind = 'payment'")
    database.close()
    with pytest.raises(LefiError, match="not as they were written"):
        Ledger(old)
    with sqlite3.connect(old) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
        assert not database.execute("SELECT name FROM sqlite_master WHERE name = 'log'").fetchall()
    database.close()
