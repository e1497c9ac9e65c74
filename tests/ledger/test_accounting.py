"""Statements, pay-outs, reversals and orders: new rows, sums to the unit, and files that are safe to open."""

import csv
import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from lefi import LefiError
from lefi.cli import app
from lefi.ledger import Ledger
from lefi.ledger.accounting import order, pay_out, reverse
from lefi.ledger.audit import verify
from lefi.ledger.exports import harmless
from lefi.ledger.keys import read_public
from lefi.ledger.statements import statement, total
from tests.flower import toy


def lefi(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    incentive, _ = toy.run(folder / "ledger.db", rounds=2, mechanism="price")
    incentive.ledger.close()
    return folder


@pytest.fixture
def written(played: Path, tmp_path: Path) -> Path:
    for name in ("ledger.db", "ledger.db.key", "ledger.db.pub"):
        shutil.copy(played / name, tmp_path / name)
    return tmp_path / "ledger.db"


def test_a_statement_is_the_signed_total(written: Path) -> None:
    """To the unit, after reversals too, for every client."""
    with Ledger(written) as ledger:
        reverse(ledger, "client-1", 1)
        reverse(ledger, "client-2", 2, "0.000000001", "a unit")
        for name, balance in ledger.balances().items():
            proof = ledger.prove(name)
            table = statement(ledger.rows(), ledger.money, name)
            assert total(table) == proof["total"] == balance["payment"] + balance["reversal"]
            assert sum(table["amount"]) == Decimal(ledger.money.text(proof["total"]))
            assert set(table["kind"]) <= {"payment", "reversal"}
        assert not verify(ledger, read_public(f"{written}.pub")).findings


def test_a_statement_of_a_period(written: Path) -> None:
    with Ledger(written) as ledger:
        rows = list(ledger.rows())
        second = next(row["at"] for row in rows if row["round"] == 2)
        money = ledger.money
    everything = statement(rows, money)
    before, after = statement(rows, money, end=second), statement(rows, money, start=second)
    assert set(before["round"]) == {1}
    assert set(after["round"]) == {2}
    assert before.height + after.height == everything.height
    assert statement(rows, money, "nobody").height == 0
    with pytest.raises(LefiError, match="2026-11-16"):
        statement(rows, money, start="yesterday")


def test_statement_files(written: Path, tmp_path: Path) -> None:
    lines = {}
    for suffix in ("csv", "parquet"):
        file = tmp_path / f"out.{suffix}"
        result = lefi("ledger", "statement", written, "--client", "client-3", "--output", file)
        assert result.exit_code == 0
        assert file.stat().st_mode & 0o777 == 0o600
        lines[suffix] = result.stdout
    assert lines["csv"] == lines["parquet"]
    with (tmp_path / "out.csv").open() as file_:
        amounts = [Decimal(row["amount"]) for row in csv.DictReader(file_)]
    assert sum(amounts) == sum(pl.read_parquet(tmp_path / "out.parquet")["amount"])
    assert str(sum(amounts)) in lines["csv"]
    shown = lefi("ledger", "statement", written).stdout
    assert "client-3" in shown
    assert all(str(amount) in shown for amount in amounts), "to the unit"


def test_formulas_are_text() -> None:
    cells = ["=1+1", "+1", "-1", "@x", "\tx", "car-2", "a=b", None]
    table = harmless(pl.DataFrame({"name": cells, "n": [-1] * len(cells)}))
    assert table["name"].to_list() == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "car-2", "a=b", None]
    assert table["n"].to_list() == [-1] * len(cells)


def test_pay_outs_are_made_once(written: Path, tmp_path: Path) -> None:
    with Ledger(written) as ledger:
        order(ledger, "block", "client-0")
    result = lefi("ledger", "payout", written, "2026-11", tmp_path / "batch.csv")
    assert result.exit_code == 0
    assert lefi("ledger", "payout", written, "2026-11", tmp_path / "again.csv").exit_code == 2
    with Ledger(written) as ledger:
        balances = ledger.balances()
        assert balances.pop("client-0")["payout"] == 0
        assert all(kinds["payout"] == kinds["payment"] for kinds in balances.values())
        assert pay_out(ledger, "2026-12").due == {}
        reverse(ledger, "client-1", 1)
        assert pay_out(ledger, "2027-01").due == {}, "who owes money back is not paid"
        assert not verify(ledger, read_public(f"{written}.pub")).findings
    batch = pl.read_csv(tmp_path / "batch.csv", schema_overrides={"amount": pl.String})
    assert batch["units"].to_list() == [kinds["payment"] for kinds in balances.values()]
    assert sum(map(Decimal, batch["amount"])) * 10**9 == batch["units"].sum()


def test_small_balances_wait(written: Path) -> None:
    with Ledger(written) as ledger:
        assert pay_out(ledger, "a", least="1000").due == {}
        assert len(pay_out(ledger, "b").due) > 1


@pytest.mark.parametrize(("round", "amount", "said"), [
    (9, None, "paid nothing"), (1, "0", "above 0"), (1, "1000", "at most"), (1, "-1", "above 0"), (1, "x", "a number"),
])  # fmt: skip
def test_what_cannot_be_taken_back(written: Path, round: int, amount: str | None, said: str) -> None:
    with Ledger(written) as ledger:
        with pytest.raises(LefiError, match=said):
            reverse(ledger, "client-1", round, amount)
        reverse(ledger, "client-1", 1)
        with pytest.raises(LefiError, match="before"):
            reverse(ledger, "client-1", 1)
        assert not verify(ledger, read_public(f"{written}.pub")).findings


def test_orders_follow_each_other(written: Path) -> None:
    with Ledger(written) as ledger:
        for kind in ("pause", "resume", "stop"):
            order(ledger, kind)
        assert ledger.orders().state == "stopped"
        with pytest.raises(LefiError, match="stopped"):
            order(ledger, "resume")
        order(ledger, "cap", "client-1", "2.5")
        order(ledger, "block", "client-2")
        assert ledger.orders().caps == {"client-1": 2_500_000_000}
        order(ledger, "cap", "client-1")
        order(ledger, "unblock", "client-2")
        assert (ledger.orders().caps, ledger.orders().blocked) == ({}, set())
        with pytest.raises(LefiError, match="below 0"):
            order(ledger, "cap", "client-1", "-1")
        assert not verify(ledger, read_public(f"{written}.pub")).findings
    with Ledger(written, job="none") as ledger, pytest.raises(LefiError, match="no job"):
        order(ledger, "pause")


def test_receipts_on_the_command_line(written: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "r" / "1.json", tmp_path / "r" / "2.json"
    first.parent.mkdir()
    assert lefi("receipt", "make", written, "client-1", first).exit_code == 0
    assert first.stat().st_mode & 0o777 == 0o600
    assert lefi("ledger", "reverse", written, "client-1", "1", "--reason", "x").exit_code == 0
    assert lefi("receipt", "make", written, "client-1", second, "--after", first).exit_code == 0
    public = f"{written}.pub"
    result = lefi("receipt", "verify", first.parent, "--key", public)
    assert result.exit_code == 0, result.stderr
    assert "the log only grew" in result.stdout
    assert lefi("ledger", "verify", written, "--receipt", second).exit_code == 0
    forged = json.loads(second.read_text())
    forged["total"] = 10**12
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    broken = lefi("receipt", "verify", tmp_path / "forged.json", "--key", public)
    assert broken.exit_code == 1
    assert "not signed" in broken.stderr
    for bad in (tmp_path / "none.json", tmp_path / "ledger.db", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        assert lefi("receipt", "verify", bad, "--key", public).exit_code == 2
    assert lefi("receipt", "make", written, "nobody", tmp_path / "x.json").exit_code == 2


def test_a_live_ledger_is_copied_whole(tmp_path: Path) -> None:
    """While a server has it open, and with rows that are only in the write-ahead log."""
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=2, mechanism="price")
    assert (tmp_path / "ledger.db-wal").stat().st_size > 0
    result = lefi("ledger", "backup", tmp_path / "ledger.db", tmp_path / "copy.db")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert lefi("ledger", "verify", tmp_path / "copy.db", "--key", f"{tmp_path / 'ledger.db'}.pub").exit_code == 0
    with Ledger(tmp_path / "copy.db", reading=True) as copy:
        assert list(copy.rows()) == list(incentive.ledger.rows())
    assert lefi("ledger", "backup", tmp_path / "ledger.db", tmp_path / "copy.db").exit_code == 2
    incentive.ledger.close()


def test_looking_changes_nothing(written: Path, tmp_path: Path) -> None:
    with Ledger(written) as ledger:
        assert ledger.settled == 2
    before = written.read_bytes()
    for command in (("show",), ("verify",), ("export", tmp_path / "x.csv"), ("statement",)):
        assert lefi("ledger", command[0], written, *command[1:]).exit_code == 0
    assert written.read_bytes() == before
    with Ledger(written, reading=True) as ledger, pytest.raises(LefiError, match=r"readonly|read-only"):
        order(ledger, "pause")


def test_an_old_state_in_the_place_of_the_newest(written: Path, tmp_path: Path) -> None:
    """Restored over the newer one: what is noted beside the key tells, and a server does not go on from there."""
    lefi("ledger", "backup", written, tmp_path / "old.db")
    with Ledger(written) as ledger:
        order(ledger, "pause")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{written}{suffix}").unlink(missing_ok=True)
    (tmp_path / "old.db").rename(written)
    result = lefi("ledger", "verify", written)
    assert result.exit_code == 1
    assert "does not begin with the noted head" in result.stderr
    with Ledger(written) as ledger, pytest.raises(LefiError, match="older than the last head"):
        order(ledger, "resume")
    Path(f"{written}.head").unlink()
    with Ledger(written) as ledger:
        order(ledger, "pause")


def test_a_lost_or_other_key_stops_the_writer(written: Path) -> None:
    key = Path(f"{written}.key")
    text = key.read_bytes()
    key.unlink()
    with Ledger(written) as ledger, pytest.raises(LefiError, match="missing"):
        order(ledger, "pause")
    Path(f"{written}.pub").unlink()
    from lefi.ledger.keys import make_key

    make_key(key)
    with Ledger(written) as ledger, pytest.raises(LefiError, match="another key"):
        order(ledger, "pause")
    key.write_bytes(text)
    with Ledger(written) as ledger:
        order(ledger, "pause")


def test_another_budget_by_command(written: Path) -> None:
    assert lefi("ledger", "budget", written, "0.50").exit_code == 0
    with Ledger(written, reading=True) as ledger:
        assert ledger.orders().budget == 500_000_000
        assert not verify(ledger, read_public(f"{written}.pub")).findings
    for wrong in ("0", "-1", "much"):
        assert lefi("ledger", "budget", "--", written, wrong).exit_code == 2
