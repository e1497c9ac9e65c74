"""The durable ledger: append-only, chained, exactly once, the same on SQLite and PostgreSQL."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from lefi import LefiError
from lefi.ledger import Answer, Ledger, Promise, client_id
from lefi.ledger.audit import audit
from lefi.ledger.entries import roster_of
from lefi.ledger.schema import tables
from lefi.ledger.views import by_client, by_round, export, frame
from lefi.messages import CurveOffer, Receipt
from tests.flower import toy

TERMS = {"budget": 1.0, "two_phase": False}
NAMES = ("a", "b", "c")


def promise(round: int = 1) -> Promise:
    roster = roster_of(NAMES, np.array([0.5, 1.0, 0.1]), np.full(3, 0.75))
    return Promise(round, NAMES, roster, CurveOffer(np.array([0.1, 0.2, 0.3]), roster.rate, np.full(3, 5.0)))


def settle(ledger: Ledger, made: Promise) -> Receipt:
    sizes = np.array([1 / 3, 0.0, np.nan])
    receipt = Receipt(made.round, made.roster, made.told, sizes, made.told.payment(sizes), float("nan"))
    answers = [
        Answer("a", "333", "accepted", 1 / 3),
        Answer("b", "0", "accepted", 0.0),
        Answer("c", None, "no answer", None),
    ]
    ledger.settle(NAMES, receipt, answers)
    return receipt


def test_what_was_settled_comes_back_bit_for_bit(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.begin(TERMS)
        ledger.promise(promise())
        receipt = settle(ledger, promise())
        ledger.promise(promise(2))
    with Ledger(place) as again:
        (restored,) = again.receipts()
        assert again.settled == 1
        pending = again.pending()
        assert pending is not None
        assert pending.round == 2
        assert pending.names == NAMES
        np.testing.assert_array_equal(pending.offer.weight, [0.1, 0.2, 0.3])
        assert not audit(again.rows()).findings
    for name in ("ids", "iid", "rate"):
        np.testing.assert_array_equal(getattr(restored.roster, name), getattr(receipt.roster, name))
    np.testing.assert_array_equal(restored.sizes, receipt.sizes)
    np.testing.assert_array_equal(restored.payments, receipt.payments)
    assert np.isnan(restored.accuracy)


def test_a_round_is_promised_and_paid_once(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.begin(TERMS)
        ledger.promise(promise())
        with pytest.raises(LefiError, match="another server"):
            ledger.promise(promise())
        settle(ledger, promise())
        with pytest.raises(LefiError, match="another server"):
            settle(ledger, promise())
        found = audit(ledger.rows())
    assert found.settled == 1
    assert not found.findings


def test_a_second_server_cannot_write(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as one, Ledger(tmp_path / "ledger.db") as two:
        one.begin(TERMS)
        two.begin(TERMS)
        one.promise(promise())
        two._head = (1, "0" * 64)  # it has not seen the other's rows
        with pytest.raises(LefiError, match="another server"):
            two.promise(promise())


def test_other_terms_are_refused(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.begin(TERMS)
    with Ledger(place) as ledger, pytest.raises(LefiError, match="another job name"):
        ledger.begin({**TERMS, "budget": 2.0})


def test_jobs_do_not_mix(place: str) -> None:
    with Ledger(place, job="one") as one, Ledger(place, job="two") as two:
        for ledger in (one, two):
            ledger.begin(TERMS)
            ledger.promise(promise())
        settle(one, promise())
        assert (one.settled, two.settled) == (1, 0)
        assert not audit(one.rows()).findings + audit(two.rows()).findings


def test_rows_cannot_be_changed_in_passing(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.begin(TERMS)
        engine = create_engine(ledger.url)
    for statement in ("UPDATE entries SET payment = 9", "DELETE FROM entries"):
        with pytest.raises(DBAPIError, match="only grows"), engine.begin() as connection:
            connection.execute(text(statement))
    engine.dispose()


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE entries SET payment = payment * 2 WHERE kind = 'payment' AND client = 'client-0'",
        "UPDATE entries SET weight = 9 WHERE kind = 'offer' AND round = 2 AND client = 'client-1'",
        "UPDATE entries SET at = '2020-01-01' WHERE seq = 5",
        "UPDATE entries SET client = 'client-9' WHERE kind = 'payment' AND client = 'client-0' AND round = 1",
        "DELETE FROM entries WHERE kind = 'answer' AND client = 'client-3' AND round = 1",
        "DELETE FROM entries WHERE seq = 1",
        "UPDATE entries SET seq = seq + 1000 WHERE seq = 10",
    ],
)
def test_tampering_is_found(tmp_path: Path, tampering: str) -> None:
    path = tmp_path / "ledger.db"
    incentive, _ = toy.run(path, rounds=3, mechanism="uniform")
    assert not audit(incentive.ledger.rows()).findings
    incentive.ledger.close()
    with sqlite3.connect(path) as database:
        for trigger in ("entries_no_update", "entries_no_delete"):
            database.execute(f"DROP TRIGGER {trigger}")
        assert database.execute(tampering).rowcount > 0
    with Ledger(path) as ledger:
        assert audit(ledger.rows()).findings


def test_a_cut_off_tail_is_found_by_the_noted_head(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    incentive, _ = toy.run(path, rounds=3, mechanism="uniform")
    head = audit(incentive.ledger.rows()).head
    incentive.ledger.close()
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER entries_no_delete")
        database.execute("DELETE FROM entries WHERE round = 3")
    with Ledger(path) as ledger:
        assert not audit(ledger.rows()).findings  # a shorter chain is a chain
        assert audit(ledger.rows(), head).findings


def test_a_forged_payment_is_found_even_with_a_new_chain(tmp_path: Path) -> None:
    """Whoever recomputes all hashes still has to pay what the offers say."""
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=2, mechanism="uniform")
    rows = list(incentive.ledger.rows())
    forged = next(row for row in rows if row["kind"] == "payment")
    forged["payment"] *= 1.01
    from lefi.ledger.chain import START, link

    previous = START
    for row in rows:
        row["hash"] = previous = link(previous, row)
    assert any("owed" in finding for finding in audit(rows).findings)


def test_tables_add_up(tmp_path: Path) -> None:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=3, mechanism="uniform")
    table = frame(incentive.ledger.rows())
    paid = sum(receipt.paid for receipt in incentive.ledger.receipts())
    assert by_client(table)["paid"].sum() == pytest.approx(paid, rel=1e-12)
    assert by_round(table)["paid"].sum() == pytest.approx(paid, rel=1e-12)
    assert by_round(table)["settled"].all()
    assert by_client(table)["offers"].to_list() == [3] * toy.CLIENTS
    for name in ("all.parquet", "all.csv"):
        export(table, tmp_path / name)
    assert pl.read_parquet(tmp_path / "all.parquet").equals(table)
    assert pl.read_csv(tmp_path / "all.csv", infer_schema=False).height == table.height
    with pytest.raises(LefiError, match=r"parquet or \.csv"):
        export(table, tmp_path / "all.xlsx")


def test_client_ids_are_fixed_for_ever() -> None:
    """Mechanisms draw by id: another id for a name would change every offer of a running job."""
    assert client_id("client-0") == 820011556796677768
    assert client_id("car-2") == 1967724349084444668


def test_the_migrations_lead_to_the_schema(place: str) -> None:
    with Ledger(place) as ledger:
        engine = create_engine(ledger.url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables) == []
    engine.dispose()


def test_terms_are_noted(tmp_path: Path) -> None:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=1)
    first = next(incentive.ledger.rows())
    assert json.loads(first["terms"])["budget"] == toy.TERMS.budget


@pytest.mark.parametrize("place", ["mysql://host/base", "sqlite:///no/such/folder/x.db", "http:/x://"])
def test_bad_places_give_one_clear_line(place: str) -> None:
    with pytest.raises(LefiError) as caught:
        Ledger(place)
    assert "\n" not in str(caught.value)
