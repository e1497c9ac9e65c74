import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lefi.studies.claims import CHECKS, check_claims
from lefi.studies.claims.claim import Claim, verdict
from lefi.studies.run.heavy import SHIPPED
from lefi.studies.run.results import Finished, Results

MakeStudy = Callable[..., Finished]
At = Any  # a place of a made-up study, see conftest
Rule = Callable[[At], float] | float


def decide(key: str, *studies: Finished, folder: Path | None = None) -> Claim:
    found = check_claims(Results({study.name: study for study in studies}, {}, folder))
    return next(claim for claim in found if claim.key == key)


def write_heavy(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    """A table of a heavy study, as if it had been measured here."""
    (folder / "heavy").mkdir(exist_ok=True)
    pl.DataFrame(rows).write_csv(folder / "heavy" / f"{name}.csv")


def level(height: float) -> Rule:
    """An accuracy that differs a little between seeds."""
    return lambda at: height + 1e-4 * at.seed


def test_no_results_means_that_nothing_is_tested() -> None:
    claims = check_claims(Results({}, {"convergence": "not run yet"}))
    assert [claim.key for claim in claims] == list("abcdefghijklmnop")
    assert {claim.verdict for claim in claims if claim.key not in "jmo"} == {"not tested yet"}  # those: shipped tables
    assert "study convergence is missing (not run yet)" in claims[0].reason


def test_a_claim_that_lacks_a_mechanism_says_which(make_study: MakeStudy) -> None:
    claim = decide("c", make_study("convergence", {"lefi": level(0.28), "bara": level(0.27)}))
    assert claim.verdict == "not tested yet"
    assert "no runs of random" in claim.reason


def test_verdict_counts_the_parts() -> None:
    assert [verdict(parts) for parts in ([True, True], [True, False], [False, False])] == [
        "confirmed",
        "partly",
        "not confirmed",
    ]


@pytest.mark.parametrize(
    ("weight_rests", "size_rests", "expected"),
    [(10, 10, "confirmed"), (10, 38, "partly"), (38, 38, "not confirmed")],
)
def test_settling_is_judged_by_the_round(
    make_study: MakeStudy, weight_rests: int, size_rests: int, expected: str
) -> None:
    def resting(rests: int) -> Rule:
        return lambda at: 1.0 if at.round >= rests else 2.0 + (at.round % 2)

    study = make_study(
        "convergence", {"lefi": level(0.28)}, rounds=60, weights=resting(weight_rests), sizes=resting(size_rests)
    )
    claim = decide("a", study)
    assert claim.verdict == expected
    assert claim.numbers["settled_weight"] == weight_rests
    assert claim.numbers["settled_size"] == size_rests


def test_weights_that_never_rest_are_reported_after_the_last_round(make_study: MakeStudy) -> None:
    study = make_study("convergence", {"lefi": level(0.28)}, rounds=30, weights=lambda at: 1.0 + at.round % 2)
    claim = decide("a", study)
    assert claim.verdict == "not confirmed"
    assert ">30" in claim.measured
    assert claim.numbers["by_end_weight"] == 0


RISE_AND_SPREAD: dict[str, Rule] = {
    "confirmed": lambda at: 0.1 * min(at.round, 6) + max(at.round - 6, 0) * 0.01 * at.client,
    "partly": lambda at: 0.1 * min(at.round, 6) + (0.1 * at.client if 6 < at.round < 20 else 0.0),
    "not confirmed": lambda at: 1.0 / at.round,
}


@pytest.mark.parametrize("expected", RISE_AND_SPREAD)
def test_rise_and_spread(make_study: MakeStudy, expected: str) -> None:
    study = make_study("convergence", {"lefi": level(0.28)}, weights=RISE_AND_SPREAD[expected])
    assert decide("b", study).verdict == expected


@pytest.mark.parametrize(
    ("lefi", "bara", "random", "expected"),
    [
        (0.29, 0.28, 0.27, "confirmed"),
        (0.29, 0.28, 0.28, "partly"),
        (0.27, 0.28, 0.29, "not confirmed"),
    ],
)
def test_order_of_the_three(make_study: MakeStudy, lefi: float, bara: float, random: float, expected: str) -> None:
    study = make_study("convergence", {"lefi": level(lefi), "bara": level(bara), "random": level(random)})
    claim = decide("c", study)
    assert claim.verdict == expected
    assert claim.numbers["lefi_bara"] == pytest.approx(lefi - bara)


def test_order_needs_an_interval_above_zero(make_study: MakeStudy) -> None:
    luck = {"lefi": lambda at: 0.28 + (0.01 if at.seed % 2 else -0.008)}
    claim = decide("c", make_study("convergence", {**luck, "bara": level(0.28), "random": level(0.27)}))
    assert claim.verdict == "partly"
    assert "lefi - bara is not above 0" in claim.reason


def test_what_six_seeds_confirm_alone_they_do_not_confirm_among_many(make_study: MakeStudy) -> None:
    """Six of six have a chance of 0.031: enough for one claim, too little for two or more (Holm)."""
    order = make_study("convergence", {"lefi": level(0.29), "bara": level(0.28), "random": level(0.27)}, seeds=6)
    claim = decide("c", order)
    assert claim.chance == pytest.approx(2 / 64)
    assert claim.corrected == pytest.approx(4 * 2 / 64)  # claims g, o and p rest on intervals too
    assert (claim.verdict, "comes by luck too often" in claim.reason) == ("partly", True)
    more = make_study("convergence", {"lefi": level(0.29), "bara": level(0.28), "random": level(0.27)}, seeds=10)
    assert decide("c", more).verdict == "confirmed"


def test_rai_falls(make_study: MakeStudy) -> None:
    def worse(at: At) -> float:
        return 0.2 + (0.09 if at.value == 10 else 0.03) * (1 - 0.01 * (at.seed + 1))

    def sweep(rival: Rule) -> Finished:
        rivals = {"bara": rival, "random": worse}
        return make_study("clients", {"lefi": 0.29, **rivals}, sweep="clients", values=(10, 1000), rounds=3)

    claim = decide("d", sweep(worse))
    assert claim.verdict == "confirmed"
    assert claim.numbers["bara_first"] == pytest.approx(0.945)
    assert claim.numbers["bara_last"] == pytest.approx(1 / 3, abs=0.02)
    claim = decide("d", sweep(0.295))
    assert claim.verdict == "partly"
    assert "RAI of bara is not below 1" in claim.reason
    assert "RAI of bara does not fall" in claim.reason


def budget_study(make_study: MakeStudy, lead: dict[float, float], uniform: float = 0.0) -> Finished:
    def base(at: At) -> float:
        return 0.2 + 0.002 * at.value + 1e-5 * at.seed

    return make_study(
        "budget",
        {
            "lefi": lambda at: base(at) + lead[at.value],
            "bara": base,
            "random": lambda at: base(at) - 1e-4,
            "uniform": lambda at: base(at) - uniform,
        },
        sweep="budget",
        values=tuple(lead),
        rounds=3,
    )


@pytest.mark.parametrize(
    ("lead", "expected", "why"),
    [
        ({1.0: 0.009, 5.0: 0.005, 25.0: 0.001}, "confirmed", ""),
        ({1.0: 0.001, 5.0: 0.005, 25.0: 0.001}, "partly", "largest at 5 USD"),
        ({1.0: 0.009, 5.0: 0.005, 25.0: 0.004}, "partly", "at 25 USD is not below 0.003"),
        ({1.0: 0.009, 5.0: -0.005, 25.0: 0.001}, "partly", "falls somewhere while the budget rises: lefi"),
    ],
)
def test_budget(make_study: MakeStudy, lead: dict[float, float], expected: str, why: str) -> None:
    claim = decide("e", budget_study(make_study, lead))
    assert claim.verdict == expected
    assert why in claim.reason


def test_uniform_is_told_but_does_not_decide_whether_the_paper_s_mechanisms_meet(make_study: MakeStudy) -> None:
    claim = decide("e", budget_study(make_study, {1.0: 0.009, 5.0: 0.005, 25.0: 0.001}, uniform=0.01))
    assert claim.verdict == "confirmed"
    assert claim.numbers["spread_all"] == pytest.approx(0.011)


def deadline_study(make_study: MakeStudy, lead: dict[float, float], slope: float = 0.001) -> Finished:
    def base(at: At) -> float:
        return 0.2 + slope * at.value + 1e-5 * at.seed

    others = dict.fromkeys(("bara", "random", "uniform"), base)
    return make_study(
        "deadline",
        {"lefi": lambda at: base(at) + lead[at.value], **others},
        sweep="deadline",
        values=tuple(lead),
        rounds=3,
    )


def test_deadline(make_study: MakeStudy) -> None:
    assert decide("f", deadline_study(make_study, {5.0: 0.0, 30.0: 0.001, 60.0: 0.001})).verdict == "confirmed"
    behind = decide("f", deadline_study(make_study, {5.0: -0.002, 30.0: 0.001, 60.0: 0.001}))
    assert behind.verdict == "partly"
    assert behind.numbers["behind_bara"] == 1
    assert behind.numbers["ahead_uniform"] == 2
    rising = decide("f", deadline_study(make_study, {5.0: 0.001, 30.0: 0.001, 60.0: 0.001}, slope=-0.001))
    assert rising.verdict == "partly"
    assert "does not fall" in rising.reason


@pytest.mark.parametrize(("drop", "expected"), [(0.001, "confirmed"), (0.02, "not confirmed")])
def test_smoothness_counts_drops_after_round_20_only(make_study: MakeStudy, drop: float, expected: str) -> None:
    def bumpy(at: At) -> float:
        return 0.28 - (0.1 if at.round == 10 else drop if at.round == 30 else 0.0) * (1 + 0.01 * at.seed)

    claim = decide("g", make_study("convergence", {"lefi": bumpy}))
    assert claim.verdict == expected
    assert claim.numbers["drop"] == pytest.approx(drop, rel=0.1)


@pytest.mark.parametrize(
    ("noisy", "stubborn", "expected"),
    [(0.291, 0.292, "confirmed"), (0.291, 0.28, "partly"), (0.28, 0.28, "not confirmed")],
)
def test_other_rules_of_the_clients(
    make_study: MakeStudy, tmp_path: Path, noisy: float, stubborn: float, expected: str
) -> None:
    rules = [
        {"mechanism": name, "scenario": scenario, "seed": seed, "round": 3, "share": share}
        for name, share in (("lefi", (noisy - 0.2) * 10), ("still", -3.0))
        for scenario in ("logit", "sticky", "convex", "metered")
        for seed in range(6)
    ]
    write_heavy(tmp_path, "rules", rules)
    heights = {"noisy": noisy, "reluctant": noisy, "stubborn": stubborn}
    made = [
        make_study(f"scenario_{name}", {"lefi": level(height)}, scenario=name, rounds=3)
        for name, height in heights.items()
    ]
    claim = decide("h", *made, folder=tmp_path)
    assert claim.verdict == expected
    assert claim.numbers["stubborn"] == pytest.approx((stubborn - 0.2) * 10, abs=5e-3)
    assert ("stubborn is below 0.9" in claim.reason) == (stubborn == 0.28)
    assert "round 3 (the last four: 3): noisy 0." in claim.measured
    assert claim.numbers["still"] == -3.0
    assert decide("h", *made[:2], folder=tmp_path).verdict == "not tested yet"


@pytest.mark.parametrize(("churning", "expected"), [(0.295, "confirmed"), (0.25, "partly")])
def test_clients_that_change(make_study: MakeStudy, churning: float, expected: str) -> None:
    heights = {"churning": churning, "drifting": 0.295}
    made = [make_study(f"scenario_{name}", {"lefi": level(height)}, rounds=3) for name, height in heights.items()]
    claim = decide("n", *made)
    assert claim.verdict == expected
    assert claim.numbers["churning"] == pytest.approx((churning - 0.2) * 10, abs=1e-2)


@pytest.mark.parametrize(("share", "expected"), [(0.95, "confirmed"), (-0.5, "not confirmed")])
def test_many_clients_with_the_money_of_ten(tmp_path: Path, share: float, expected: str) -> None:
    places = {"clients_fixed": [(1_000, 5.0)], "clients_many": [(10_000, 5.0), (10_000, 5_000.0)]}
    for table, points in places.items():
        rows = [
            {"mechanism": name, "clients": clients, "budget": budget, "seed": seed, "round": 60}
            | {"share": share + 1e-3 * seed, "worst": 2.0 if name == "lefi usd" else 0.0}
            for clients, budget in points
            for name in ("lefi", "lefi warm", "lefi usd", "uniform")
            for seed in range(8)
        ]
        write_heavy(tmp_path, table, rows)
    claim = decide("o", folder=tmp_path)
    assert claim.verdict == expected
    assert "spending up to 3 budgets" in claim.measured
    assert claim.numbers["lefi_10000_5"] == pytest.approx(share, abs=0.01)


def test_the_controls_of_the_shipped_tables_fail() -> None:
    """Literal dollars and weights that never move stay below what the claims ask for."""
    claim = decide("o")
    assert claim.verdict != "confirmed"
    assert max(claim.numbers[f"lefi_usd_{place}_high"] for place in ("1000_5", "10000_5")) < 0.9
    still = pl.read_csv(SHIPPED / "rules.csv").filter(mechanism="still")["share"]
    assert still.to_numpy().max() < 0.9


def test_scale_needs_share_and_speed(make_study: MakeStudy) -> None:
    def sweep(height: float, seconds: float, most: int = 1000) -> Claim:
        made = make_study(
            "clients", {"lefi": level(height)}, sweep="clients", values=(10, most), rounds=3, seconds=seconds
        )
        return decide("i", made)

    assert sweep(0.299, 0.1).verdict == "confirmed"
    assert sweep(0.299, 2.0).verdict == "partly"
    assert sweep(0.25, 2.0).verdict == "not confirmed"
    assert sweep(0.299, 0.1, most=500).verdict == "not tested yet"
    assert sweep(0.299, 0.25).numbers["seconds_per_round"] == pytest.approx(0.25)


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


def test_every_claim_states_its_rule_and_turns_into_json() -> None:
    assert all(check.rule for check in CHECKS)
    claim = Claim("x", "c", "m", "partly", "r", numbers={"good": 1.0, "none": float("nan"), "far": np.inf})
    assert json.loads(json.dumps(claim.to_dict(), allow_nan=False))["numbers"] == {
        "good": 1.0,
        "none": None,
        "far": None,
    }


def test_the_sum_over_clients_is_judged_on_really_trained_fleets() -> None:
    claim = decide("m")
    assert claim.verdict == "partly"
    assert claim.numbers["w_5_low"] > 1
    assert claim.numbers["rmse_10"] <= 0.03 < claim.numbers["rmse_5"]
    assert "no better than a constant" in claim.reason


@pytest.mark.parametrize(
    ("rests", "later", "expected"), [(15, 0.0, "confirmed"), (90, 0.0, "not confirmed"), (15, 0.02, "partly")]
)
def test_p_the_round_at_rest_and_what_stopping_there_saves(
    make_study: MakeStudy, rests: int, later: float, expected: str
) -> None:
    """Accuracy rises until it rests; `later` comes only in the last rounds, after it was at rest."""

    def rises(at: At) -> float:
        return 0.2 + 0.002 * min(at.round, rests) + 1e-5 * at.seed + later * (at.round > 55)

    claim = decide("p", make_study("convergence", {"lefi": rises}, rounds=60))
    assert claim.verdict == expected
    if expected == "confirmed":
        assert claim.numbers["stop"] == rests + 20
        assert claim.numbers["saved"] == pytest.approx(1 - (rests + 20) / 60, abs=0.04)


def agents(folder: Path, scratch: float, taught: float, long: float) -> Claim:
    """Claim j, where agents reach these shares, and equal weights 0.5."""
    shares = {"scratch": scratch, "taught": taught, "lefi": 0.9, "waterfill": 1.0, "uniform": 0.5}

    def rows(rounds: int, changed: dict[str, float]) -> list[dict[str, Any]]:
        return [
            {"mechanism": name, "scenario": scenario, "seed": seed, "round": round, "share": share + 0.001 * (seed % 3)}
            for name, share in (shares | changed).items()
            for scenario in ("mixed", "flaky")
            for seed in range(10)
            for round in (20, rounds)
        ]

    write_heavy(folder, "drl", rows(100, {}))
    write_heavy(folder, "drl_long", rows(10_000, {"scratch": long}))
    return decide("j", folder=folder)


@pytest.mark.parametrize(
    ("scratch", "taught", "expected"),
    [(0.4, 0.5, "confirmed"), (0.4, 0.7, "partly"), (0.6, 0.4, "partly"), (0.6, 0.7, "not confirmed")],
)
def test_the_footnote_holds_where_no_agent_has_learned(
    scratch: float, taught: float, expected: str, tmp_path: Path
) -> None:
    claim = agents(tmp_path, scratch, taught, 0.8)
    assert claim.verdict == expected
    assert claim.numbers["scratch_lead"] == pytest.approx(scratch - 0.5)
    assert claim.numbers["taught_lead"] == pytest.approx(taught - 0.5)


def test_an_agent_that_never_learns_tells_nothing_about_100_interactions(tmp_path: Path) -> None:
    claim = agents(tmp_path, 0.4, 0.7, 0.5)
    assert claim.verdict == "not tested yet"
    assert "not learned in 10,000 interactions either" in claim.reason


def test_an_agent_whose_lead_hangs_on_luck_has_not_learned(tmp_path: Path) -> None:
    """Ahead in six fleets of ten is not ahead."""
    agents(tmp_path, 0.4, 0.4, 0.8)
    table = pl.read_csv(tmp_path / "heavy" / "drl.csv")
    lucky = pl.when((pl.col("mechanism") == "scratch") & (pl.col("seed") < 6)).then(0.9).otherwise(pl.col("share"))
    table.with_columns(share=lucky).write_csv(tmp_path / "heavy" / "drl.csv")
    assert decide("j", folder=tmp_path).verdict == "confirmed"
