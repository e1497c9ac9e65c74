"""`lefi ledger` on a ledger that a Flower job has written."""

import json
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.ledger import Ledger, Promise
from lefi.ledger.entries import roster_of
from lefi.messages import CurveOffer
from tests.flower import toy
from tests.ledger import test_ledger as ledgers


def lefi(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["ledger", *map(str, arguments)])


@pytest.fixture
def written(tmp_path: Path) -> Path:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=3, mechanism="uniform")
    incentive.ledger.close()
    return tmp_path / "ledger.db"


def test_show(written: Path) -> None:
    result = lefi("show", written)
    assert result.exit_code == 0
    assert "client-5" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    told = json.loads(lefi("show", written, "--json").stdout)
    with Ledger(written) as ledger:
        paid = sum(receipt.paid for receipt in ledger.receipts())
    assert float(sum(Decimal(row["paid"]) for row in told["clients"])) == pytest.approx(paid)
    assert [row["round"] for row in told["rounds"]] == [1, 2, 3]


def test_verify(written: Path) -> None:
    result = lefi("verify", written)
    assert result.exit_code == 0
    assert "3 settled rounds" in result.stdout
    head = result.stdout.split("head ")[1].split()[0]
    assert lefi("verify", written, "--head", head).exit_code == 0
    assert lefi("verify", written, "--head", f"5:{'f' * 64}").exit_code == 1
    assert lefi("verify", written, "--key", "f" * 64).exit_code == 1
    with sqlite3.connect(written) as database:
        database.execute("DROP TRIGGER log_no_update")
        database.execute("UPDATE log SET payment = 5 WHERE kind = 'payment' AND round = 2")
    broken = lefi("verify", written)
    assert broken.exit_code == 1
    assert "the row was changed" in broken.stderr
    assert "not those that were signed" in broken.stderr


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_export(written: Path, tmp_path: Path, name: str) -> None:
    assert lefi("export", written, tmp_path / name).exit_code == 0
    assert lefi("export", written, tmp_path / f"still-{name}", "--no-clock").exit_code == 0
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    whole, still = read(tmp_path / name), read(tmp_path / f"still-{name}")
    assert set(whole.columns) - set(still.columns) == {"at", "chain", "leaf"}
    assert whole.height == still.height > 3 * toy.CLIENTS


def test_bad_input_is_one_line(tmp_path: Path, written: Path) -> None:
    (tmp_path / "text.db").write_text("no database, but long enough to be looked at" * 50)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)")
    for arguments in (
        ("show", tmp_path / "none.db"),
        ("show", tmp_path / "text.db"),
        ("show", tmp_path / "other.db"),
        ("show", written, "--job", "nobody"),
        ("show", "mysql://x/y"),
        ("export", written, tmp_path / "out.xls"),
    ):
        result = lefi(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
    assert not (tmp_path / "none.db").exists()


def test_several_jobs_need_a_name(written: Path) -> None:
    with Ledger(written, job="second") as ledger:
        ledger.begin({"budget": 1.0, "two_phase": False})
    result = lefi("show", written)
    assert result.exit_code == 2
    assert "2 jobs; choose one with --job: job, second" in result.stderr
    assert lefi("show", written, "--job", "second").exit_code == 0


def test_a_round_over_its_budget_is_said_loudly(tmp_path: Path) -> None:
    """Offers of a ledger from before budgets were kept, or by somebody else's hand."""
    path = tmp_path / "ledger.db"
    made = ledgers.promise()
    with Ledger(path) as ledger:
        ledger.begin({"budget": 0.01, "total": 0.02, "two_phase": False})
        ledger.promise(made)
        paid = ledgers.settle(ledger, made).paid
    assert paid > 0.02
    shown, verified = lefi("show", path), lefi("verify", path)
    assert "OVER BUDGET: round 1 paid" in shown.stdout
    assert "OVER BUDGET: the job paid" in shown.stdout
    assert len(json.loads(lefi("show", path, "--json").stdout)["over_budget"]) == 2
    assert verified.exit_code == 1
    assert "round 1: OVER BUDGET" in verified.stderr
    assert "job: OVER ITS TOTAL" in verified.stderr


def test_budgets_are_shown(written: Path) -> None:
    told = json.loads(lefi("show", written, "--json").stdout)
    assert [row["budget"] for row in told["rounds"]] == [toy.TERMS.budget] * 3
    assert told["over_budget"] == []
    assert "OVER" not in lefi("show", written).stdout


def corrupt(path: Path) -> None:
    """Overwrite the pages behind the first: the file still opens."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xa5" * (path.stat().st_size - 4096 * 3))


def newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")


def other_terms(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER log_no_update")
        database.execute("UPDATE log SET terms = '[1' WHERE kind = 'job'")


def other_values(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER log_no_update")
        database.execute("UPDATE log SET payment = 'much' WHERE kind = 'payment'")


@pytest.mark.parametrize(("harm", "said"), [
    (corrupt, "cannot be used"), (newer, "newer lefi"), (other_terms, "not as"), (other_values, "not as"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_a_harmed_ledger_gives_one_clear_line(
    written: Path, tmp_path: Path, command: str, harm: Any, said: str
) -> None:
    harm(written)
    result = lefi(command, written, *([tmp_path / "out.csv"] if command == "export" else []))
    if harm is other_terms and command == "export":
        assert result.exit_code == 0, "rows are exported as they are"
        return
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if command == "show":
        assert said in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_gives_one_clear_line(written: Path, tmp_path: Path) -> None:
    (tmp_path / "full.csv").symlink_to("/dev/full")
    (tmp_path / ".full.csv.writing").symlink_to("/dev/full")
    result = lefi("export", written, tmp_path / "full.csv")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cannot write")


def test_names_cannot_paint_the_terminal(tmp_path: Path) -> None:
    """Names of older ledgers were not checked."""
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.begin({"budget": 1.0, "two_phase": False})
        roster = roster_of(("\x1b[2J[red]x",), np.ones(1), np.ones(1))
        ledger.promise(Promise(1, ("\x1b[2J[red]x",), roster, CurveOffer(np.ones(1), roster.rate, np.ones(1))))
    result = lefi("show", path)
    assert "\x1b" not in result.stdout
    assert "?[2J[red]x" in result.stdout
