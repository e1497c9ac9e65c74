"""Receipts go to tables and Parquet and come back exactly; a mechanism is restored from what was read."""

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import receipts
from lefi.messages import CurveOffer, Receipt, Roster
from tests.lengths import examples


def same(left: Receipt, right: Receipt) -> None:
    assert left.round == right.round
    np.testing.assert_array_equal(left.accuracy, right.accuracy)
    for name in ("ids", "iid", "rate"):
        np.testing.assert_array_equal(getattr(left.roster, name), getattr(right.roster, name))
    for name in ("weight", "rate", "limit"):
        np.testing.assert_array_equal(getattr(left.offer, name), getattr(right.offer, name))
    np.testing.assert_array_equal(left.sizes, right.sizes)
    np.testing.assert_array_equal(left.payments, right.payments)


@st.composite
def played_rounds(draw: st.DrawFn) -> list[Receipt]:
    """Rosters that change, clients that do not answer, accuracies that nobody measured."""
    result = []
    for round in range(1, draw(st.integers(1, 5)) + 1):
        ids = np.array(draw(st.lists(st.integers(0, 2**62), min_size=1, max_size=6, unique=True)))
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        roster = Roster(ids, rng.random(ids.size), rng.uniform(0.1, 2, ids.size))
        offer = CurveOffer(rng.random(ids.size), roster.rate, rng.uniform(0, 10, ids.size))
        sizes = np.where(rng.random(ids.size) < 0.3, np.nan, rng.uniform(0, 10, ids.size))
        accuracy = np.nan if rng.random() < 0.2 else rng.random()
        result.append(Receipt(round, roster, offer, sizes, offer.payment(sizes), accuracy))
    return result


@given(played_rounds())
def test_tables_give_the_receipts_back(told: list[Receipt]) -> None:
    back = list(receipts.from_tables(receipts.to_tables(told)))
    assert len(back) == len(told)
    for left, right in zip(told, back, strict=True):
        same(left, right)


@given(played_rounds(), st.sampled_from([1, 3, 1_000_000]))
@examples(25)
def test_parquet_gives_the_receipts_back_also_in_parts(
    tmp_path_factory: pytest.TempPathFactory, told: list[Receipt], rows: int
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(receipts, "ROWS", rows)
        receipts.write(told, folder)
    back = list(receipts.read(folder))
    assert len(back) == len(told)
    for left, right in zip(told, back, strict=True):
        same(left, right)
    assert sorted(path.name for path in folder.iterdir()) == ["clients.parquet", "rounds.parquet"]


@pytest.mark.parametrize("name", sorted(lefi.registered()))
def test_mechanism_is_restored_from_parquet(name: str, tmp_path: Path) -> None:
    market = lefi.scenario("mixed", clients=5, seed=3).taking(lefi.registered()[name].payment)
    played = lefi.make(name, market.terms, seed=3)
    receipts.write(lefi.play(played, market, 9, seed=3), tmp_path)
    restored = lefi.make(name, market.terms, seed=3)
    for receipt in receipts.read(tmp_path):
        restored.tell(receipt)
    ours, theirs = played.ask(market.fleet.roster), restored.ask(market.fleet.roster)
    assert type(ours) is type(theirs)
    for name, value in vars(ours).items():
        np.testing.assert_array_equal(value, vars(theirs)[name])


def test_a_million_clients(tmp_path: Path) -> None:
    """Columns, no loop over clients: a million of them take seconds, round by round within bounded memory."""
    market = lefi.scenario("mixed", clients=1_000_000)
    mechanism = lefi.make("uniform", market.terms)
    started = time.perf_counter()
    receipts.write(lefi.play(mechanism, market, 3), tmp_path)
    back = list(receipts.read(tmp_path))
    assert [len(receipt.roster) for receipt in back] == [1_000_000] * 3
    same(back[0], next(iter(lefi.play(lefi.make("uniform", market.terms), market, 1))))
    assert time.perf_counter() - started < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 6e6  # kB


def test_nothing_is_written_when_the_receipts_stop_with_an_error(tmp_path: Path) -> None:
    market = lefi.scenario("paper", clients=2)

    def broken() -> Iterator[Receipt]:
        yield from lefi.play(lefi.make("uniform", market.terms), market, 2)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        receipts.write(broken(), tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def test_a_written_ledger_survives_a_failed_second_write(tmp_path: Path) -> None:
    market = lefi.scenario("paper", clients=2)
    receipts.write(lefi.play(lefi.make("uniform", market.terms), market, 2), tmp_path)
    before = (tmp_path / "clients.parquet").read_bytes()

    def broken() -> Iterator[Receipt]:
        raise RuntimeError("stop")
        yield

    with pytest.raises(RuntimeError, match="stop"):
        receipts.write(broken(), tmp_path)
    assert (tmp_path / "clients.parquet").read_bytes() == before


def test_the_budget_in_force_comes_back(tmp_path: Path) -> None:
    market = lefi.scenario("mixed", clients=3)
    receipts.write(lefi.play(lefi.make("waterfill", market.terms), market, 2, budgets=[1.5, 0.1]), tmp_path)
    assert [receipt.budget for receipt in receipts.read(tmp_path)] == [1.5, 0.1]
    rounds = pl.read_parquet(tmp_path / "rounds.parquet")
    rounds.drop("budget").write_parquet(tmp_path / "rounds.parquet")  # as older versions wrote it
    assert [receipt.budget for receipt in receipts.read(tmp_path)] == [None, None]


def test_reading_refuses_what_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(lefi.InputError, match=r"rounds\.parquet"):
        receipts.read(tmp_path)
    market = lefi.scenario("paper", clients=2)
    receipts.write(lefi.play(lefi.make("uniform", market.terms), market, 2), tmp_path)
    clients = pl.read_parquet(tmp_path / "clients.parquet")
    clients.drop("limit").write_parquet(tmp_path / "clients.parquet")
    with pytest.raises(lefi.InputError, match="limit missing"):
        receipts.read(tmp_path)
    clients.head(3).write_parquet(tmp_path / "clients.parquet")
    with pytest.raises(lefi.LefiError, match="clients of round 2"):
        list(receipts.read(tmp_path))
    (tmp_path / "clients.parquet").write_bytes(b"not parquet")
    with pytest.raises(lefi.LefiError, match="cannot read"):
        receipts.read(tmp_path)
