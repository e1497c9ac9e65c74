"""A restarted server goes on where it stopped: same offers, same model, promises kept."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.app import MetricRecord

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Ledger
from lefi.ledger.views import frame
from lefi.mechanisms.mechanism import done
from tests.flower import toy

SAME: dict[str, Any] = {"measure": toy.score, "mechanism": "lefi"}


def whole(path: Path, rounds: int, **settings: Any) -> Any:
    incentive, result = toy.run(path, rounds=rounds, checkpoints=path.parent / path.stem, **SAME, **settings)
    table = frame(incentive.ledger.rows(), clock=False)
    incentive.ledger.close()
    return table, result


@pytest.mark.parametrize("two_phase", [False, True])
def test_stopping_between_rounds_changes_nothing(tmp_path: Path, two_phase: bool) -> None:
    table, result = whole(tmp_path / "one.db", 6, two_phase=two_phase)
    whole(tmp_path / "two.db", 2, two_phase=two_phase)
    whole(tmp_path / "two.db", 5, two_phase=two_phase)
    again, resumed = whole(tmp_path / "two.db", 6, two_phase=two_phase)
    assert toy.but_for_ends(again).equals(toy.but_for_ends(table))
    assert (toy.ends(again), toy.ends(table)) == ([2, 5, 6], [6])
    np.testing.assert_array_equal(resumed.arrays["w"].numpy(), result.arrays["w"].numpy())
    assert list(resumed.train_metrics_clientapp) == [6]


def test_a_finished_job_stays_finished(tmp_path: Path) -> None:
    table, result = whole(tmp_path / "one.db", 3)
    again, resumed = whole(tmp_path / "one.db", 3)
    assert again.equals(table)
    np.testing.assert_array_equal(resumed.arrays["w"].numpy(), result.arrays["w"].numpy())


def test_rounds_keep_their_numbers_for_clients_and_evaluation(tmp_path: Path) -> None:
    whole(tmp_path / "one.db", 2)
    seen: list[int] = []

    def evaluate(round: int, arrays: Any) -> MetricRecord:
        seen.append(round)
        return MetricRecord({"score": toy.score(arrays)})

    grid = LocalGrid(toy.app(), toy.CLIENTS)
    incentive = Incentive(
        toy.fedavg(), lefi.make("lefi", toy.TERMS, seed=1), terms=toy.TERMS, ledger=tmp_path / "one.db",
        measure=toy.score, checkpoints=tmp_path / "one",
    )  # fmt: skip
    result = incentive.start(grid, toy.model(), num_rounds=4, evaluate_fn=evaluate)
    assert seen == [2, 3, 4]
    scores = {receipt.round: receipt.accuracy for receipt in incentive.ledger.receipts()}
    assert {round: metrics["score"] for round, metrics in result.evaluate_metrics_serverapp.items()} == {
        round: scores[round] for round in (2, 3, 4)
    }


class Stopped(BaseException):
    """Stands for a kill at a chosen point."""


def stopping_grid(at: tuple[int, str], nodes: int = toy.CLIENTS) -> LocalGrid:
    def faults(round: int, partition: int, kind: str) -> None:
        if (round, kind) == at and partition == 2:
            raise Stopped

    return LocalGrid(toy.app(), nodes, faults=faults)


class Fickle:
    """Offers what it is told to offer, which nobody writes down."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        spread = self.weight * (1 + np.arange(len(roster)) / 10)
        return lefi.CurveOffer(spread, roster.rate, np.full(len(roster), 5.0))

    def tell(self, receipt: lefi.Receipt) -> None:
        pass


@pytest.mark.parametrize(("two_phase", "kind"), [(False, "train"), (True, "query.offer"), (True, "train")])
def test_a_promise_stands_after_a_stop_in_mid_round(tmp_path: Path, two_phase: bool, kind: str) -> None:
    """Offers that were written are not asked for again, even by a mechanism that would now say something else."""
    settings: dict[str, Any] = {"terms": toy.TERMS, "two_phase": two_phase}
    ledger = Ledger(tmp_path / "one.db")
    incentive = Incentive(toy.fedavg(), Fickle(0.3), ledger=ledger, **settings)
    with pytest.raises(Stopped):
        incentive.start(stopping_grid((2, kind)), toy.model(), num_rounds=3)
    promised = {
        row["client"]: toy.offered(row)["weight"]
        for row in ledger.rows()
        if (row["round"], row["kind"]) == (2, "offer")
    }
    before = len(list(ledger.rows()))
    assert not ledger.ended_at()
    ledger.close()
    assert ledger.settled == 1
    assert len(promised) == toy.CLIENTS
    resumed = Incentive(toy.fedavg(), Fickle(0.2), ledger=tmp_path / "one.db", **settings)
    resumed.start(LocalGrid(toy.app(), toy.CLIENTS), toy.model(), num_rounds=2)
    rows = list(resumed.ledger.rows())
    assert {row["client"]: toy.offered(row)["weight"] for row in rows[before:] if row["kind"] == "offer"} == {}
    receipt = list(resumed.ledger.receipts())[1]
    assert (receipt.payments > 0).all()
    if not two_phase:
        assert promised == dict(zip(sorted(promised), receipt.offer.weight.tolist(), strict=True))


def test_who_is_gone_after_the_restart_is_not_paid_and_newcomers_wait(tmp_path: Path) -> None:
    place = tmp_path / "one.db"
    incentive = Incentive(toy.fedavg(), lefi.make("uniform", toy.TERMS), terms=toy.TERMS, ledger=place)
    with pytest.raises(Stopped):
        incentive.start(stopping_grid((1, "train"), nodes=4), toy.model(), num_rounds=2)
    names = ["client-0", "client-1", "client-7"]
    grid = LocalGrid(toy.app(), 3, node_config=lambda i: {"client-id": names[i]})
    resumed = Incentive(toy.fedavg(), lefi.make("uniform", toy.TERMS), terms=toy.TERMS, ledger=place)
    resumed.start(grid, toy.model(), num_rounds=2)
    paid = [(row["round"], row["client"]) for row in resumed.ledger.rows() if row["kind"] == "payment"]
    assert paid == [(1, "client-0"), (1, "client-1"), *((2, name) for name in names)]


def test_a_missing_checkpoint_is_an_error_not_a_fresh_model(tmp_path: Path) -> None:
    whole(tmp_path / "one.db", 2)
    for file in (tmp_path / "one").iterdir():
        file.unlink()
    with pytest.raises(lefi.LefiError, match="missing"):
        whole(tmp_path / "one.db", 3)


def test_only_two_models_are_kept(tmp_path: Path) -> None:
    whole(tmp_path / "one.db", 5)
    assert sorted(file.name for file in (tmp_path / "one").iterdir()) == ["round-4.npz", "round-5.npz"]


def test_a_plan_that_was_killed_goes_on_byte_for_byte(tmp_path: Path) -> None:
    """Budgets that vary from round to round are planned again from the receipts; the job ends in the same words."""
    terms = replace(toy.TERMS, budget=2.0, total=2.0)
    same: dict[str, Any] = {"mechanism": "pace(uniform, start=0.05, patience=6, least=0.5)", "terms": terms}

    def play(name: str, rounds: int) -> Any:
        kept = tmp_path / f"models-{name}"
        incentive, _ = toy.run(tmp_path / name, rounds=rounds, measure=toy.score, checkpoints=kept, **same)
        table, why = frame(incentive.ledger.rows(), clock=False), done(incentive.mechanism)
        incentive.ledger.close()
        return table, why

    table, why = play("one.db", 12)
    play("two.db", 1)
    play("two.db", 3)
    again, resumed = play("two.db", 12)
    assert toy.but_for_ends(again).equals(toy.but_for_ends(table))
    assert toy.ends(again) == [1, 3, *toy.ends(table)]
    assert resumed == why is not None
