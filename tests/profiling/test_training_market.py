"""The market that trains: same contract, real accuracy, exactly the samples that were delivered."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from polars.testing import assert_frame_equal

import lefi
from lefi.models import ExponentialAccuracy
from lefi.optimum import first_best
from lefi.profiling.approximation import train_fleets
from lefi.profiling.data import load_images
from lefi.profiling.loop import Posted, summary, train_mechanisms
from lefi.profiling.train import Recipe, Trainer
from lefi.profiling.training_market import TrainingMarket, sample_counts, training_market
from lefi.studies.judge.combined_accuracy import judge_fleets

DIGITS = load_images("digits")
TRAINER = Trainer(DIGITS, Recipe(learning_rate=0.05, batch=16), torch.device("cpu"))
MODEL = ExponentialAccuracy(0.96, 0.66, 0.05, 0.05, scale=0.08, skew=0.5)


def modelled(seed: int = 0, **settings: Any) -> lefi.Market:
    cost = lefi.LinearCost(79.1259 * 25, 17.6219)
    usual: dict[str, Any] = {"clients": 4, "size_high": 0.2, "rate": (15, 25), "speed": (2, 29), "cost": cost}
    return lefi.scenario("paper", seed=seed, accuracy=MODEL, **(usual | settings))


def of_budget(seed: int, budget: float) -> lefi.Market:
    return modelled(seed, budget=budget)


def real(seed: int = 0, **settings: Any) -> TrainingMarket:
    return training_market(modelled(seed, **settings), TRAINER, seed)


def test_every_mechanism_runs_in_it() -> None:
    for name, factory in lefi.registered().items():
        market, model = (make(clients=2, size_high=0.1).taking(factory.payment) for make in (real, modelled))
        receipts = list(lefi.play(lefi.make(name, market.terms), market, 2))
        plain = list(lefi.play(lefi.make(name, model.terms), model, 1))
        assert np.array_equal(receipts[0].sizes, plain[0].sizes)
        hits = receipts[0].accuracy * len(DIGITS.test)
        assert hits == pytest.approx(round(hits))  # a share of test images, not a formula


def test_clients_train_on_exactly_what_they_deliver(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    step = TRAINER.task.images.__getitem__

    class Spy:
        def __getitem__(self, rows: torch.Tensor) -> torch.Tensor:
            seen.append(rows.numel())
            return step(rows)

    monkeypatch.setitem(TRAINER.task.__dict__, "images", Spy())
    market = real(clients=1)
    roster = market.fleet.roster
    offer = lefi.CurveOffer(np.full(1, 0.5), roster.rate, np.full(1, 0.123))
    receipt = market.settle(1, offer, np.random.default_rng(0))
    assert receipt.sizes[0] == pytest.approx(0.123)
    assert sum(seen) == -(-123 // 16) * 16  # whole batches; what is padding counts with weight 0 (see test_train)


def test_settling_is_pure_and_after_goes_on_from_there() -> None:
    market = real()
    mechanism = lefi.make("uniform", market.terms)
    offer = mechanism.ask(market.fleet.roster)
    start = market.weights["0.weight"].clone()
    one, two = (market.settle(1, offer, np.random.default_rng(0)) for _ in range(2))
    assert one.accuracy == two.accuracy
    assert torch.equal(market.weights["0.weight"], start)
    later = market.after(one)
    assert not torch.equal(later.weights["0.weight"], start)
    assert market.federation.accuracy(later.weights) == one.accuracy


def test_playing_twice_gives_the_same_receipts() -> None:
    runs = [[r.accuracy for r in lefi.play(lefi.make("lefi", m.terms), m, 3)] for m in (real(), real())]
    assert runs[0] == runs[1]


def test_without_luck_the_fitted_model_speaks() -> None:
    market, plain = real(), modelled()
    assert lefi.oracle(market).accuracy == lefi.oracle(plain).accuracy


def test_no_answer_trains_on_nothing() -> None:
    assert sample_counts(np.array([np.nan, 0.0, 0.1234, 0.0004])).tolist() == [0, 0, 123, 0]


def test_more_money_trains_a_better_model() -> None:
    ends = []
    for budget in (0.001, 2.0):
        market = real(budget=budget)
        posted = Posted(lefi.oracle(market).offer)
        ends.append([r.accuracy for r in lefi.play(posted, market, 8)][-1])
    assert ends[1] > ends[0] + 0.1


def test_the_loop_compares_mechanisms_on_the_same_clients() -> None:
    names = ["uniform", "price", "oracle", "first_best"]
    table = train_mechanisms(names, of_budget, TRAINER, rounds=3, seeds=[0, 1], budgets=[0.5])
    assert table.group_by("mechanism", "seed").len()["len"].to_list() == [3] * 8
    rows = {row["mechanism"]: row for row in summary(table)}
    assert list(rows) == names
    for row in rows.values():
        assert row["least"] <= row["accuracy"] <= row["most"]
        assert row["spent"] > 0
    bound = [first_best(of_budget(seed, 0.5).taking("price")).payments.sum() for seed in (0, 1)]
    assert rows["first_best"]["spent"] == pytest.approx(3 * np.mean(bound), rel=1e-6)  # nobody says no


def test_side_by_side_is_as_one_by_one_and_as_play(tmp_path: Path) -> None:
    """To the last bit on a CPU; and what is finished is not trained again."""
    given: dict[str, Any] = {"rounds": 3, "seeds": [0], "budgets": [0.2, 1.0]}
    alone = train_mechanisms(["lefi", "price"], of_budget, TRAINER, together=1, kept=tmp_path, about="x", **given)
    every = train_mechanisms(["lefi", "price"], of_budget, TRAINER, together=4, **given)
    assert_frame_equal(alone, every)
    market = training_market(of_budget(0, 0.2), TRAINER, 0)
    played = [receipt.accuracy for receipt in lefi.play(lefi.make("lefi", market.terms, seed=0), market, 3, 0)]
    assert alone.filter(mechanism="lefi", budget=0.2)["accuracy"].to_list() == played
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 4
    before = [path.stat().st_mtime_ns for path in kept]
    again = train_mechanisms(["lefi", "price"], of_budget, TRAINER, together=1, kept=tmp_path, about="x", **given)
    assert_frame_equal(again, alone)
    assert [path.stat().st_mtime_ns for path in kept] == before
    train_mechanisms(["lefi"], of_budget, TRAINER, together=1, kept=tmp_path, about="y", **given)
    assert len(list(tmp_path.iterdir())) == 6


def test_fleets_that_differ_and_the_paper_s_sum() -> None:
    table = train_fleets(TRAINER, MODEL, fleets=4, clients=3, rounds=4, sizes=(0.05, 0.3), iid=(0.2, 1.0))
    assert len(table) == 12
    assert (table.group_by("fleet").agg(pl.col("accuracy").n_unique())["accuracy"] == 1).all()
    found = judge_fleets(table)
    assert (found.fleets, found.clients) == (4, 3)
    assert found.rmse <= found.rmse_plain
    assert float(found.w.low) <= float(found.w.middle) <= float(found.w.high)


def test_w_is_the_least_squares_slope() -> None:
    means = np.array([0.3, 0.5, 0.6])
    rows = {"fleet": [0, 1, 2], "modelled": means, "accuracy": 1.25 * means}
    found = judge_fleets(pl.DataFrame(rows))
    assert float(found.w.middle) == pytest.approx(1.25)
    assert found.rmse == pytest.approx(0, abs=1e-12)
    assert found.rmse_plain == pytest.approx(np.sqrt(np.mean((0.25 * means) ** 2)))
