"""What fails on the server's side: the round is settled all the same, the error is a row, and a restart goes on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord
from flwr.serverapp.strategy import FedAvg

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.ledger.audit import audit
from lefi.ledger.views import by_client, by_round, frame
from tests.flower import toy

NODES: dict[str, Any] = {"fraction_evaluate": 0.0, "min_train_nodes": 1, "min_available_nodes": 1}


class Broken(FedAvg):
    """Fails in round 2."""

    def aggregate_train(self, server_round: int, replies: Any) -> Any:
        if server_round == 2:
            raise ZeroDivisionError("\x1b[2J no weights \x00")
        return super().aggregate_train(server_round, replies)


class Diverging(FedAvg):
    """Makes infinities of round 2."""

    def aggregate_train(self, server_round: int, replies: Any) -> Any:
        arrays, metrics = super().aggregate_train(server_round, replies)
        return (ArrayRecord({"w": Array(np.full(3, np.inf))}) if server_round == 2 else arrays), metrics


class Dull(lefi.registered()["uniform"]):  # type: ignore[misc]
    """Cannot learn from round 2."""

    def tell(self, receipt: lefi.Receipt) -> None:
        if receipt.round == 2:
            raise ValueError("cannot learn")
        super().tell(receipt)


def faults(incentive: Any) -> list[tuple[int, str, str]]:
    rows = incentive.ledger.rows()
    return [(row["round"], row["kind"], row["claim"]) for row in rows if row["kind"].endswith("fault")]


@pytest.mark.parametrize("strategy", [Broken, Diverging])
@pytest.mark.parametrize("two_phase", [False, True])
def test_a_strategy_that_fails(tmp_path: Path, strategy: Any, two_phase: bool) -> None:
    settings: dict[str, Any] = {"mechanism": "waterfill", "two_phase": two_phase}
    incentive, result = toy.run(tmp_path / "a.db", rounds=3, strategy=strategy(**NODES), **settings)
    calm, _ = toy.run(tmp_path / "b.db", rounds=3, **settings)
    for left, right in zip(incentive.ledger.receipts(), calm.ledger.receipts(), strict=True):
        assert left.payments.tobytes() == right.payments.tobytes()
    ((round, kind, text),) = faults(incentive)
    assert (round, kind) == (2, "strategy fault")
    assert text.isprintable()
    assert not audit(incentive.ledger.rows()).findings
    assert np.isfinite(result.arrays["w"].numpy()).all()
    assert list(result.train_metrics_clientapp) == [1, 3]


@pytest.mark.parametrize("two_phase", [False, True])
def test_a_mechanism_that_fails_to_learn(tmp_path: Path, two_phase: bool) -> None:
    def start(rounds: int) -> Any:
        incentive = Incentive(
            toy.fedavg(), Dull(toy.TERMS), terms=toy.TERMS, ledger=tmp_path / "a.db", two_phase=two_phase
        )
        incentive.start(LocalGrid(toy.app(), toy.CLIENTS), toy.model(), num_rounds=rounds)
        incentive.ledger.close()
        return incentive

    for rounds in (2, 2, 3):
        incentive = start(rounds)
    assert faults(incentive) == [(2, "mechanism fault", "ValueError: cannot learn")]
    assert all((receipt.payments > 0).all() for receipt in incentive.ledger.receipts())
    table = frame(incentive.ledger.rows())
    assert by_client(table)["client"].to_list() == [f"client-{i}" for i in range(toy.CLIENTS)]
    assert by_round(table)["settled"].to_list() == [True] * 3


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_model_that_cannot_be_measured(tmp_path: Path, value: Any) -> None:
    def measure(arrays: ArrayRecord) -> float:
        if value is None:
            raise RuntimeError("no test data")
        return float(value)

    incentive, _ = toy.run(tmp_path / "a.db", rounds=2, measure=measure, mechanism="waterfill")
    assert all(np.isnan(receipt.accuracy) for receipt in incentive.ledger.receipts())
    assert len(faults(incentive)) == (2 if value is None else 0)


def test_a_slow_client_is_late_and_unpaid(tmp_path: Path) -> None:
    incentive, _ = toy.run(
        tmp_path / "a.db",
        rounds=2,
        mechanism="waterfill",
        faults=lambda round, partition, kind: "slow" if (round, partition, kind) == (1, 2, "train") else None,
    )
    answers = [(row["round"], row["verdict"]) for row in incentive.ledger.rows()
               if row["kind"] == "answer" and row["client"] == "client-2"]  # fmt: skip
    assert answers == [(1, "late"), (2, "accepted")]
    first, second = incentive.ledger.receipts()
    assert first.payments[2] == 0
    assert np.isnan(first.sizes[2])
    assert second.payments[2] > 0


def caps(incentive: Any, client: str) -> dict[int, float]:
    rows = incentive.ledger.rows()
    return {
        row["round"]: toy.offered(row)["limit"] for row in rows if row["kind"] == "offer" and row["client"] == client
    }


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("broken", ["silent", "slow", "crash"])
def test_a_broken_pledge_caps_what_is_paid_for(tmp_path: Path, broken: str, stops: bool) -> None:
    """Client 1 delivers in rounds 1 and 2, breaks its pledge in round 3, and is capped for 3 rounds."""

    def faults(round: int, partition: int, kind: str) -> str | None:
        return broken if (round, partition, kind) == (3, 1, "train") else None

    for rounds in (4, 8) if stops else (8,):
        incentive, _ = toy.run(
            tmp_path / "a.db", rounds=rounds, mechanism="uniform", two_phase=True, faults=faults, penance=3
        )
        incentive.ledger.close()
    second = next(receipt for receipt in incentive.ledger.receipts() if receipt.round == 2)
    limits = caps(incentive, "client-1")
    assert [limits[round] for round in (4, 5, 6)] == [second.sizes[1]] * 3
    assert limits[3] == limits[7] == 5.0
    assert set(caps(incentive, "client-2").values()) == {5.0}


def test_a_pledge_without_any_delivery_is_capped_at_nothing(tmp_path: Path) -> None:
    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if partition == 1 and kind == "train" and round < 5 else None

    incentive, _ = toy.run(tmp_path / "a.db", rounds=5, mechanism="uniform", two_phase=True, faults=faults)
    limits = caps(incentive, "client-1")
    assert [limits[round] for round in range(1, 6)] == [5.0, 0.0, 0.0, 0.0, 5.0]


@pytest.mark.parametrize(("two_phase", "kind"), [(False, "train"), (True, "query.offer")])
def test_who_drops_out_without_a_pledge_is_not_punished(tmp_path: Path, two_phase: bool, kind: str) -> None:
    def faults(round: int, partition: int, asked: str) -> str | None:
        return "silent" if (partition, asked) == (1, kind) and round < 4 else None

    incentive, _ = toy.run(tmp_path / "a.db", rounds=4, mechanism="uniform", two_phase=two_phase, faults=faults)
    assert set(caps(incentive, "client-1").values()) == {5.0}
