"""Claims on clients, budgets and deadlines: d, e, f, i and o."""

from pathlib import Path

import polars as pl
import pytest

from lefi.studies.claims.claim import Claim
from lefi.studies.run.heavy import SHIPPED
from lefi.studies.run.results import Finished
from tests.studies.decided import At, MakeStudy, Rule, decide, level, write_heavy


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
