"""`lefi ledger` on a ledger that a Flower job has written."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from lefi.cli import app
from lefi.ledger import Ledger
from tests.flower import toy


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
    assert sum(row["paid"] for row in told["clients"]) == pytest.approx(paid, rel=1e-12)
    assert [row["round"] for row in told["rounds"]] == [1, 2, 3]


def test_verify(written: Path) -> None:
    result = lefi("verify", written)
    assert result.exit_code == 0
    assert "3 settled rounds" in result.stdout
    head = result.stdout.split("head ")[1].split()[0]
    assert lefi("verify", written, "--head", head).exit_code == 0
    assert lefi("verify", written, "--head", "f" * 64).exit_code == 1
    with sqlite3.connect(written) as database:
        database.execute("DROP TRIGGER entries_no_update")
        database.execute("UPDATE entries SET payment = 0.5 WHERE kind = 'payment' AND client = 'client-2'")
    broken = lefi("verify", written)
    assert broken.exit_code == 1
    assert "client-2 is paid 0.5" in broken.stderr


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_export(written: Path, tmp_path: Path, name: str) -> None:
    assert lefi("export", written, tmp_path / name).exit_code == 0
    assert lefi("export", written, tmp_path / f"still-{name}", "--no-clock").exit_code == 0
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    whole, still = read(tmp_path / name), read(tmp_path / f"still-{name}")
    assert set(whole.columns) - set(still.columns) == {"at", "hash"}
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
    assert "job, second" in result.stderr
    assert lefi("show", written, "--job", "second").exit_code == 0
