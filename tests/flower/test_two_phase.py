"""Two-phase rounds: the budget holds whatever the mechanism asks and whatever the clients do."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Promise
from lefi.ledger.audit import audit
from lefi.ledger.entries import roster_of
from tests.flower import toy


class Spendthrift:
    """Offers a hundred times the budget."""

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        clients = len(roster)
        return lefi.CurveOffer(np.full(clients, 100 * toy.TERMS.budget), roster.rate, np.full(clients, 5.0))

    def tell(self, receipt: lefi.Receipt) -> None:
        assert receipt.paid <= toy.TERMS.budget


def play(path: Path, mechanism: Any, clients: Any = None, faults: Any = None, rounds: int = 3) -> Any:
    incentive = Incentive(toy.fedavg(), mechanism, terms=toy.TERMS, ledger=path, two_phase=True)
    incentive.start(LocalGrid(clients or toy.app(), toy.CLIENTS, faults=faults), toy.model(), num_rounds=rounds)
    found = audit(incentive.ledger.rows())
    assert not found.findings
    assert found.settled == rounds
    return list(incentive.ledger.receipts())


def test_the_budget_holds_for_a_spendthrift(tmp_path: Path) -> None:
    receipts = play(tmp_path / "ledger.db", Spendthrift())
    assert all(0.5 * toy.TERMS.budget < receipt.paid <= toy.TERMS.budget for receipt in receipts)


@pytest.mark.parametrize("name", ["lefi", "uniform", "random", "bara"])
def test_the_budget_holds_for_every_mechanism(tmp_path: Path, name: str) -> None:
    receipts = play(tmp_path / "ledger.db", lefi.make(name, toy.TERMS, seed=2), rounds=8)
    assert all(receipt.paid <= toy.TERMS.budget for receipt in receipts)
    assert receipts[-1].paid > 0


def test_the_budget_holds_against_clients_that_break_their_pledges(tmp_path: Path) -> None:
    """Pledge little, then train on and claim everything."""
    pledged: set[int] = set()

    def rule(posted: Any, context: Any) -> float:
        partition = int(context.node_config["partition-id"])
        return 0.2 if partition not in pledged and not pledged.add(partition) else 4.0  # type: ignore[func-returns-value]

    clients = toy.app(rule, lambda partition, round, honest: 4000)
    (receipt,) = play(tmp_path / "ledger.db", Spendthrift(), clients, rounds=1)
    np.testing.assert_array_equal(receipt.sizes, 0.2)
    assert receipt.paid <= toy.TERMS.budget


def test_who_pledges_nothing_is_not_asked_to_train(tmp_path: Path) -> None:
    trained: list[int] = []

    def rule(posted: Any, context: Any) -> float:
        return float(int(context.node_config["partition-id"]) % 2)

    def faults(round: int, partition: int, kind: str) -> str | None:
        if kind == "train":
            trained.append(partition)
        return "silent" if kind == "query.offer" and partition == 1 else None

    (receipt,) = play(tmp_path / "ledger.db", lefi.make("uniform", toy.TERMS), toy.app(rule), faults=faults, rounds=1)
    assert trained == [3, 5]
    np.testing.assert_array_equal(receipt.sizes, [0, np.nan, 0, 1, 0, 1])
    assert (receipt.payments[[0, 1, 2, 4]] == 0).all()


@given(st.integers(0, 2**32 - 1))
def test_commitments_cost_no_more_than_the_offers(seed: int) -> None:
    """Within the pledge a commitment pays what the offer pays, to the bit, and beyond it nothing more."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 50))
    offer = lefi.CurveOffer(10 ** rng.uniform(-4, 4, n), rng.uniform(0.01, 5, n), rng.uniform(0, 10, n))
    pledges = np.where(rng.random(n) < 0.2, np.nan, rng.uniform(0, 1, n) * offer.limit)
    names = tuple(f"client-{i}" for i in range(n))
    promise = Promise(1, names, roster_of(names, np.ones(n), offer.rate), offer, pledges)
    assert promise.binding.worst_case() <= offer.worst_case()
    less = np.nan_to_num(pledges) * rng.random(n)
    np.testing.assert_array_equal(promise.binding.payment(less), offer.payment(less))
    np.testing.assert_array_equal(promise.owed(np.full(n, 99.0)), offer.payment(np.nan_to_num(pledges)))
