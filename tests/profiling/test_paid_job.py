"""A mechanism pays a job with cheats: its offers decide the claims, verdicts who stays, escrow what cheats keep."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import lefi
from lefi.cli import app
from lefi.profiling.cheats import Fleet
from lefi.profiling.closed_loop import digits_trainer
from lefi.profiling.paid_job import Paid, PaidJob, pay
from lefi.trust import Reference, Trust
from lefi.world.scaled import scaled_market

REFERENCE = Reference.read("digits")
LEAST = int(REFERENCE.about["claims"][0])
FLEET = Fleet(kind="idle", share=0.4, sizes=(LEAST + 10, 110))


def job(fleet: Fleet = FLEET, seed: int = 3, budget: float = 2.0) -> PaidJob:
    market = scaled_market("mixed", "digits", 0.11, clients=20, budget=budget, seed=seed).taking("price")
    return PaidJob(digits_trainer(), fleet, seed, market, lefi.make("price", market.terms, seed=seed), LEAST)


def test_claims_follow_from_offers_and_stay_within_what_clients_own() -> None:
    one = job()
    here, samples = one.claims(0, np.arange(20))
    assert one.receipt is not None
    assert (samples >= LEAST).all()
    assert (samples <= one.sizes[here]).all()
    assert one.receipt.paid <= 2.0
    paid = one.tell(0.5)
    assert paid.sum() == pytest.approx(one.receipt.paid)
    assert (paid[np.setdiff1d(np.arange(20), here)] == 0).all()
    later, _ = one.claims(1, np.arange(5, 20))
    assert later.min() >= 5
    assert len(one.receipt.sizes) == 15


def test_a_round_that_nobody_takes_part_in_leaves_the_model_as_it_is() -> None:
    one = job(budget=0.001)
    here, _ = one.claims(0, np.arange(20))
    assert here.size == 0
    found = pay(job(budget=0.001), 2, Trust(REFERENCE, one.layout))
    assert found.spent == found.delivered == found.caught == 0
    assert found.accuracy == one.trainer.accuracy(one.weights)[0]


@pytest.mark.slow
def test_cheats_take_money_where_they_are_believed_and_keep_none_where_they_are_watched() -> None:
    believed = pay(job(), 8)
    one = job()
    watched: Paid = pay(one, 8, Trust(REFERENCE, one.layout))
    assert believed.kept > 0.3
    assert believed.accused == 0
    assert watched.kept == 0
    assert watched.caught == 1
    assert 0.5 < believed.delivered <= 1
    assert watched.honest_lost == 0
    assert watched.accuracy > believed.accuracy
    assert watched.spent < believed.spent, "what is forfeited is the job's again"
    assert np.isfinite(pay(job(replace(FLEET, kind="honest")), 1).accuracy)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--mechanisms", "oracle"], "mechanisms that learn"),
        (["--mechanisms", "price", "--cheat", "lazy"], "lazy"),
        (["--mechanisms", "price", "--cheating", "0.7"], "most clients must work"),
    ],
)
def test_what_cannot_be_is_one_line(more: list[str], said: str, tmp_path: Any) -> None:
    found = CliRunner().invoke(app, ["train", "--trust", "digits", *more, "--out", str(tmp_path)])
    assert found.exit_code == 2
    assert said in found.stderr


@pytest.mark.slow
def test_by_command(tmp_path: Any) -> None:
    asked = ["train", "--trust", "digits", "--mechanisms", "price", "--clients", "20", "--rounds", "4", "--seeds", "1"]
    found = CliRunner().invoke(app, [*asked, "--budget", "2", "--out", str(tmp_path)], catch_exceptions=False)
    assert found.exit_code == 0
    assert "watched" in found.stdout
    assert (tmp_path / "trust.json").stat().st_size > 0
