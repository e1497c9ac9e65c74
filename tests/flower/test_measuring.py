"""What accuracy the ledger has: measured by the caller, by Flower's own evaluation, or by the terms' model."""

from pathlib import Path
from typing import Any

import pytest
from flwr.app import MetricRecord

from lefi.flower import Incentive, LocalGrid
from tests.flower import toy

ROUNDS = 3


def started(place: Path, metric: str, **settings: Any) -> tuple[list[float], dict[int, float], list[int]]:
    """The ledger's accuracies, those that Flower was told, and the rounds in which it was evaluated."""
    seen: list[int] = []

    def evaluate(round: int, arrays: Any) -> MetricRecord:
        seen.append(round)
        return MetricRecord({metric: toy.score(arrays)})

    incentive = Incentive(toy.fedavg(), "uniform", terms=toy.TERMS, ledger=place, **settings)
    grid = LocalGrid(toy.app(), toy.CLIENTS)
    result = incentive.start(grid, toy.model(), num_rounds=ROUNDS, evaluate_fn=evaluate)
    ledger = [receipt.accuracy for receipt in incentive.ledger.receipts()]
    incentive.ledger.close()
    told: Any = {round: found[metric] for round, found in result.evaluate_metrics_serverapp.items()}
    return ledger, told, seen


def test_the_ledger_has_what_flower_evaluates_and_each_round_is_evaluated_once(tmp_path: Path) -> None:
    ledger, told, seen = started(tmp_path / "ledger.db", "accuracy")
    assert seen == [0, 1, 2, 3]
    assert ledger == [told[round] for round in (1, 2, 3)]
    assert len(set(ledger)) == ROUNDS


def test_the_callers_own_measure_goes_before(tmp_path: Path) -> None:
    ledger, _, seen = started(tmp_path / "ledger.db", "accuracy", measure=lambda arrays: 0.25)
    assert ledger == [0.25] * ROUNDS
    assert seen == [0, 1, 2, 3]


def test_an_evaluation_without_accuracy_leaves_the_terms_model(tmp_path: Path) -> None:
    ledger, told, seen = started(tmp_path / "ledger.db", "loss")
    modelled, _ = toy.run(tmp_path / "modelled.db", mechanism="uniform", rounds=ROUNDS)
    assert ledger == [receipt.accuracy for receipt in modelled.ledger.receipts()]
    assert seen == [0, 1, 2, 3]
    assert set(told) == set(seen)


def test_a_second_start_says_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("lefi.flower.counting.log", lambda level, text, *parts: said.append(text % parts))
    place = tmp_path / "ledger.db"
    toy.run(place, mechanism="uniform", rounds=2)
    assert said == []
    toy.run(place, mechanism="uniform", rounds=3)
    assert said == ["lefi: job job goes on: 2 rounds are settled, 1 are to come"]
    toy.run(place, mechanism="uniform", rounds=3)
    assert said[1].startswith(f"lefi: job job is finished: its 3 rounds are settled in {place}, nothing is trained")
