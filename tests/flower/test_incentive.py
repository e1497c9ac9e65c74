"""One-phase rounds in process: offers, verdicts, payments, and what the wrapped strategy gets to see."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.clientapp.mod import fixedclipping_mod
from flwr.serverapp.strategy import (
    Bulyan,
    DifferentialPrivacyClientSideFixedClipping,
    DifferentialPrivacyServerSideFixedClipping,
    FedAdagrad,
    FedAdam,
    FedAvg,
    FedAvgM,
    FedMedian,
    FedProx,
    FedTrimmedAvg,
    FedYogi,
    Krum,
    MultiKrum,
    Strategy,
)

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import client_id
from lefi.offers import cut
from tests.flower import toy

NODES: dict[str, Any] = {"fraction_evaluate": 0.0, "min_train_nodes": 1, "min_available_nodes": 1}


def answers(incentive: Any, round: int) -> dict[str, tuple[str, float | None]]:
    rows = [row for row in incentive.ledger.rows() if row["kind"] == "answer" and row["round"] == round]
    return {row["client"]: (row["verdict"], row["size"]) for row in rows}


@pytest.mark.parametrize("name", ["waterfill", "uniform"])
def test_receipts_equal_those_of_the_simulator(tmp_path: Path, name: str) -> None:
    """The same selfish clients in `lefi.play`: Flower adds whole samples, the budget, and nothing else."""
    incentive, _ = toy.run(tmp_path / "ledger.db", mechanism=name, rounds=4)
    names = [f"client-{i}" for i in range(toy.CLIENTS)]
    mechanism = lefi.make(name, toy.TERMS, seed=1)
    roster = lefi.Roster(np.array([client_id(name) for name in names]), np.ones(6), np.full(6, 0.75))
    fleet = lefi.RationalFleet(
        roster, np.array([toy.price(i) for i in range(6)]), np.full(6, 28.9), lefi.cost("paper"), size_high=5.0
    )
    for receipt in incentive.ledger.receipts():
        offer = cut(mechanism.ask(roster), toy.TERMS.budget)
        np.testing.assert_array_equal(receipt.offer.weight, offer.weight)
        sizes = np.minimum(fleet.respond(offer, None), toy.SAMPLES / 1000)
        np.testing.assert_allclose(receipt.sizes, sizes, atol=1.001e-3)
        assert (receipt.sizes <= sizes).all()
        mechanism.tell(receipt)
    assert receipt.round == 4
    assert np.unique(receipt.sizes).size == toy.CLIENTS


def test_every_client_gets_its_own_offer(tmp_path: Path) -> None:
    seen: dict[int, float] = {}

    def rule(posted: Any, context: Any) -> float:
        seen[int(context.node_config["partition-id"])] = float(posted.offer.weight[0])
        return 1.0

    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=1, clients=toy.app(rule))
    offered = {row["client"]: toy.offered(row)["weight"] for row in incentive.ledger.rows() if row["kind"] == "offer"}
    assert offered == {f"client-{i}": weight for i, weight in seen.items()}
    assert len(set(seen.values())) == toy.CLIENTS


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (float("nan"), "not a number"),
        (float("inf"), "above size_high"),
        (-5, "negative"),
        (1.5, "not whole"),
        (10**9, "above size_high"),
        (None, "malformed"),
    ],
)
def test_impossible_claims_are_recorded_and_not_paid(tmp_path: Path, claim: Any, verdict: str) -> None:
    clients = toy.app(lambda posted, context: 1.0, lambda partition, round, honest: claim if partition == 2 else honest)
    incentive, result = toy.run(tmp_path / "ledger.db", rounds=1, clients=clients)
    assert answers(incentive, 1)["client-2"] == (verdict, None)
    (receipt,) = incentive.ledger.receipts()
    assert np.isnan(receipt.sizes[2])
    assert receipt.payments[2] == 0
    assert (np.delete(receipt.payments, 2) > 0).all()
    assert np.isfinite(result.arrays["w"].numpy()).all()


def test_claim_above_the_limit_is_paid_and_weighed_as_the_limit(tmp_path: Path) -> None:
    class Limited:
        def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
            return lefi.CurveOffer(np.full(len(roster), 0.5), roster.rate, np.full(len(roster), 2.0))

        def tell(self, receipt: lefi.Receipt) -> None:
            pass

    weights: list[int] = []

    class Spy(FedAvg):
        def aggregate_train(self, server_round: int, replies: Any) -> Any:
            weights.extend(int(reply.content["metrics"]["num-examples"]) for reply in replies)
            return super().aggregate_train(server_round, replies)

    clients = toy.app(lambda posted, context: 9.0, lambda partition, round, honest: 3000 if partition == 0 else honest)
    incentive = Incentive(Spy(**NODES), Limited(), terms=toy.TERMS, ledger=tmp_path / "ledger.db")
    incentive.start(LocalGrid(clients, 3), toy.model(), num_rounds=1)
    assert answers(incentive, 1)["client-0"] == ("above limit", 2.0)
    assert answers(incentive, 1)["client-1"] == ("accepted", 2.0)
    (receipt,) = incentive.ledger.receipts()
    np.testing.assert_allclose(receipt.payments, 0.5 * (1 - np.exp(-1.5)), rtol=1e-12)
    assert weights == [2000, 2000, 2000]


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [("silent", "no answer"), ("crash", "no answer"), ("offline", "no answer"), ("late", "no answer")],
)
def test_failures_teach_nothing_and_cost_nothing(tmp_path: Path, fault: str, verdict: str) -> None:
    told: list[lefi.Receipt] = []

    def faults(round: int, partition: int, kind: str) -> str | None:
        return fault if (round, partition, kind) == (1, 3, "train") else None

    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=2, mechanism="uniform", faults=faults)
    told = list(incentive.ledger.receipts())
    assert answers(incentive, 1)["client-3"] == (verdict, None)
    assert np.isnan(told[0].sizes[3])
    assert told[0].payments[3] == 0
    assert told[1].payments[3] > 0
    if fault == "late":
        rows = [row for row in incentive.ledger.rows() if row["client"] == "client-3" and row["round"] == 2]
        assert [row["verdict"] for row in rows if row["kind"] == "answer"] == ["accepted", "late"]
        assert sum(row["kind"] == "payment" for row in rows) == 1


def test_a_reply_that_comes_twice_is_paid_once(tmp_path: Path) -> None:
    incentive, _ = toy.run(
        tmp_path / "ledger.db", rounds=1, mechanism="uniform", faults=lambda round, partition, kind: "twice"
    )
    rows = list(incentive.ledger.rows())
    assert sum(row["verdict"] == "duplicate" for row in rows) == toy.CLIENTS
    assert sum(row["kind"] == "payment" for row in rows) == toy.CLIENTS


def test_a_reply_from_a_stranger_is_refused(tmp_path: Path) -> None:
    class Intruded(LocalGrid):
        def send_and_receive(self, messages: Any, *, timeout: float | None = None) -> Any:
            replies = list(super().send_and_receive(messages, timeout=timeout))
            for reply in replies[:1]:
                if reply.metadata.message_type == "train":
                    reply.metadata.__dict__["_src_node_id"] = 77
            return replies

    incentive = Incentive(toy.fedavg(), lefi.make("uniform", toy.TERMS), terms=toy.TERMS, ledger=tmp_path / "ledger.db")
    incentive.start(Intruded(toy.app(), 3), toy.model(), num_rounds=1)
    verdicts = [(row["client"], row["verdict"]) for row in incentive.ledger.rows() if row["kind"] == "answer"]
    assert ("node-77", "unknown client") in verdicts
    assert sum(verdict == "no answer" for _, verdict in verdicts) == 1
    assert sum(row["kind"] == "payment" for row in incentive.ledger.rows()) == 2


STRATEGIES: list[Strategy] = [
    FedAvg(**NODES),
    FedProx(**NODES),
    FedAdam(**NODES),
    FedAdagrad(**NODES),
    FedYogi(**NODES),
    FedAvgM(**NODES),
    FedMedian(**NODES),
    FedTrimmedAvg(**NODES),
    Krum(**NODES),
    MultiKrum(**NODES),
    Bulyan(**NODES),
    DifferentialPrivacyServerSideFixedClipping(FedAvg(**NODES), 0.01, 1.0, toy.CLIENTS),
    DifferentialPrivacyClientSideFixedClipping(FedAvg(**NODES), 0.01, 1.0, toy.CLIENTS),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # Flower's own division in clipping
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: type(strategy).__name__)
def test_any_strategy(tmp_path: Path, strategy: Strategy) -> None:
    """Round 1: nobody takes part and the model stays. Round 2: everybody does and it moves. Payments are the same."""
    clients = toy.app(lambda posted, context: 0.0 if float(posted.offer.weight[0]) == 0.5 else 2.0)
    incentive, result = toy.run(
        tmp_path / "ledger.db", rounds=2, mechanism="uniform", strategy=strategy, clients=clients
    )
    first, second = incentive.ledger.receipts()
    np.testing.assert_array_equal(first.sizes, 0)
    assert first.paid == 0
    np.testing.assert_array_equal(second.sizes, 2.0)
    assert second.paid > 0
    assert np.abs(result.arrays["w"].numpy()).sum() > 0


def test_flowers_own_mods_work_inside_ours(tmp_path: Path) -> None:
    """Clipping on the client: it takes messages with one config record only, and fails on an update of 0."""
    strategy = DifferentialPrivacyClientSideFixedClipping(FedAvg(**NODES), 0.01, 1.0, toy.CLIENTS)

    def rule(posted: Any, context: Any) -> float:
        return float(int(context.node_config["partition-id"]) % 2)

    clients = toy.app(rule, mods=[fixedclipping_mod])
    incentive, result = toy.run(tmp_path / "ledger.db", rounds=1, strategy=strategy, clients=clients)
    (receipt,) = incentive.ledger.receipts()
    np.testing.assert_array_equal(receipt.sizes, [0, 1, 0, 1, 0, 1])
    assert 0 < np.linalg.norm(result.arrays["w"].numpy()) < 1.1


def test_all_at_zero_keeps_the_model(tmp_path: Path) -> None:
    clients = toy.app(lambda posted, context: 0.0)
    _, result = toy.run(tmp_path / "ledger.db", rounds=3, clients=clients)
    np.testing.assert_array_equal(result.arrays["w"].numpy(), 0)


def test_wrapping_leaves_the_bare_result_when_all_clients_give_all(tmp_path: Path) -> None:
    incentive, result = toy.run(tmp_path / "ledger.db", rounds=3, clients=toy.app(lambda posted, context: 4.0))
    w = np.zeros(3)
    for _ in range(3):
        shards = [toy.data(i) for i in range(toy.CLIENTS)]
        w = np.mean([w - 0.5 * x.T @ (x @ w - y) / len(x) for x, y in shards], axis=0)
    np.testing.assert_allclose(result.arrays["w"].numpy(), w, rtol=1e-12)
    assert incentive.settled == 3


def test_the_whole_fleet_can_be_absent_for_a_round(tmp_path: Path) -> None:
    def faults(round: int, partition: int, kind: str) -> str | None:
        return "offline" if round == 2 else None

    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=3, mechanism="uniform", faults=faults)
    paid = [receipt.paid for receipt in incentive.ledger.receipts()]
    assert paid[0] > 0
    assert paid[1] == 0
    assert paid[2] > 0


def test_nobody_answers_the_hello(tmp_path: Path) -> None:
    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if kind == "query.hello" else None

    incentive, result = toy.run(tmp_path / "ledger.db", rounds=2, faults=faults)
    assert incentive.settled == 0
    np.testing.assert_array_equal(result.arrays["w"].numpy(), 0)


def test_another_payment_class_is_refused(tmp_path: Path) -> None:
    class Linear:
        def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
            return lefi.CurveOffer(np.full(len(roster), 1e6), np.full(len(roster), 1e-6), np.full(len(roster), 5.0))

        def tell(self, receipt: lefi.Receipt) -> None:
            pass

    incentive = Incentive(toy.fedavg(), Linear(), terms=toy.TERMS, ledger=tmp_path / "ledger.db")
    with pytest.raises(lefi.OfferError, match="payment class"):
        incentive.start(LocalGrid(toy.app(), 2), toy.model(), num_rounds=1)
