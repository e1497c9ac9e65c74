"""Claims on other clients than the paper's: h and n."""

from pathlib import Path

import pytest

from tests.studies.decided import MakeStudy, decide, level, write_heavy


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
