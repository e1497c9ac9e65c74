"""Claims of our own, k and l; and m, on how accuracies combine."""

import polars as pl
import pytest

from lefi.studies.run.results import Finished
from tests.studies.decided import MakeStudy, decide, level


@pytest.mark.parametrize(("excess", "expected"), [(5e-10, "confirmed"), (2e-9, "not confirmed")])
def test_one_round_above_the_oracle_is_found(make_study: MakeStudy, excess: float, expected: str) -> None:
    study = make_study("convergence", {"lefi": level(0.28), "cheat": level(0.28)})
    here = (pl.col("mechanism") == "cheat") & (pl.col("seed") == 3) & (pl.col("round") == 17)
    rounds = study.rounds.with_columns(fair=pl.when(here).then(pl.col("bound") + excess).otherwise("fair"))
    claim = decide("k", Finished("convergence", rounds, study.clients))
    assert claim.verdict == expected
    assert claim.numbers["excess"] == pytest.approx(excess, rel=1e-3)


def test_who_pays_in_another_way_may_lie_above_the_oracle(make_study: MakeStudy) -> None:
    study = make_study("convergence", {"lefi": level(0.28), "price": level(0.28)})
    other = pl.col("mechanism") == "price"
    rounds = study.rounds.with_columns(
        fair=pl.when(other).then(pl.col("bound") + 0.01).otherwise("fair"),
        first_best=pl.when(other).then(0.9).otherwise(float("nan")),
    )
    assert decide("k", Finished("convergence", rounds, study.clients)).verdict == "confirmed"


@pytest.mark.parametrize(
    ("on_paper", "on_mixed", "expected"),
    [(0.2995, 0.27, "confirmed"), (0.28, 0.27, "partly"), (0.28, 0.2995, "not confirmed")],
)
def test_uniform(make_study: MakeStudy, on_paper: float, on_mixed: float, expected: str) -> None:
    made = [
        make_study("convergence", {"lefi": 0.2998, "uniform": level(on_paper)}),
        make_study("mixed", {"lefi": 0.2998, "uniform": level(on_mixed)}, scenario="mixed"),
    ]
    claim = decide("l", *made)
    assert claim.ours
    assert claim.verdict == expected
    assert claim.numbers["paper_lead"] == pytest.approx((0.2998 - on_paper) * 10, abs=5e-3)


def test_the_sum_over_clients_is_judged_on_really_trained_fleets() -> None:
    claim = decide("m")
    assert claim.verdict == "partly"
    assert claim.numbers["w_5_low"] > 1
    assert claim.numbers["rmse_10"] <= 0.03 < claim.numbers["rmse_5"]
    assert "no better than a constant" in claim.reason
