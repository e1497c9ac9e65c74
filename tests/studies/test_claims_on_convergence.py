"""Claims on convergence: a, b, c, g and p."""

import pytest

from tests.studies.decided import At, MakeStudy, Rule, decide, level


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


@pytest.mark.parametrize(("drop", "expected"), [(0.001, "confirmed"), (0.02, "not confirmed")])
def test_smoothness_counts_drops_after_round_20_only(make_study: MakeStudy, drop: float, expected: str) -> None:
    def bumpy(at: At) -> float:
        return 0.28 - (0.1 if at.round == 10 else drop if at.round == 30 else 0.0) * (1 + 0.01 * at.seed)

    claim = decide("g", make_study("convergence", {"lefi": bumpy}))
    assert claim.verdict == expected
    assert claim.numbers["drop"] == pytest.approx(drop, rel=0.1)


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
