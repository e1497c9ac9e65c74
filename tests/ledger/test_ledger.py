"""The durable ledger: append-only, chained, exactly once, the same on SQLite and PostgreSQL."""

import json
import os
from decimal import Decimal
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
from lefi.ledger.exports import export
from lefi.ledger.schema import tables
from lefi.ledger.views import by_client, by_round, frame
from lefi.messages import CurveOffer, Receipt
from tests.flower import toy

TERMS = {"budget": 1.0, "two_phase": False}
NAMES = ("a", "b", "c")


def promise(round: int = 1) -> Promise:
    roster = roster_of(NAMES, np.array([0.5, 1.0, 0.1]), np.full(3, 0.75))
    return Promise(round, NAMES, roster, CurveOffer(np.array([0.1, 0.2, 0.3]), roster.rate, np.full(3, 5.0)))


def settle(ledger: Ledger, made: Promise) -> Receipt:
    sizes = np.array([1 / 3, 0.0, np.nan])
    receipt = Receipt(made.round, made.roster, made.offer, sizes, made.offer.payment(sizes), float("nan"))
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


def begins_elsewhere(place: str) -> bool:
    """Whether another process can begin the job; a fork, so that it costs no imports."""
    child = os.fork()
    if child == 0:
        try:
            Ledger(place).begin(TERMS)
        except LefiError as error:
            os._exit(7 if "another server writes to job 'job'" in str(error) else 8)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 7)
    return status == 0


def test_a_second_server_is_kept_out(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process cannot begin the job; when the first one ends, it can."""
    monkeypatch.setattr("lefi.ledger.locks.PATIENCE", 0.1)
    with Ledger(place) as one:
        one.begin(TERMS)
        assert not begins_elsewhere(place)
        one.promise(promise())
    assert begins_elsewhere(place)


def test_a_second_server_in_the_same_process_collides(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as one, Ledger(tmp_path / "ledger.db") as two:
        one.begin(TERMS)
        two.begin(TERMS)
        one.promise(promise())
        with pytest.raises(LefiError, match="another server"):
            two.promise(promise())


def test_a_reader_reads_and_cannot_write(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.begin(TERMS)
        ledger.promise(promise())
        rows = list(ledger.rows())
    with Ledger(place, reading=True) as reader:
        assert list(reader.rows()) == rows
        with pytest.raises(LefiError, match=r"read-?only"):
            settle(reader, promise())
    with Ledger(place, reading=True) as reader:
        assert list(reader.rows()) == rows


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
    for statement in (
        "UPDATE log SET payment = 9",
        "DELETE FROM log",
        "DELETE FROM heads",
        "UPDATE heads SET size = 9",
    ):
        with pytest.raises(DBAPIError, match="only grows"), engine.begin() as connection:
            connection.execute(text(statement))
    engine.dispose()


def test_tables_add_up(tmp_path: Path) -> None:
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=3, mechanism="uniform")
    table = frame(incentive.ledger.rows())
    paid = audit(incentive.ledger.rows()).paid
    assert paid == pytest.approx(Decimal(sum(receipt.paid for receipt in incentive.ledger.receipts())))
    assert sum(by_client(table)["paid"]) == paid
    assert sum(by_round(table)["paid"]) == paid
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
