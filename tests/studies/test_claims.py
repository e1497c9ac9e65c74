"""Claims in general: what is not tested, what a verdict counts, and what every claim states."""

import json

import numpy as np

from lefi.studies.claims import CHECKS, check_claims
from lefi.studies.claims.claim import Claim, verdict
from lefi.studies.run.results import Results
from tests.studies.decided import MakeStudy, decide, level


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


def test_every_claim_states_its_rule_and_turns_into_json() -> None:
    assert all(check.rule for check in CHECKS)
    claim = Claim("x", "c", "m", "partly", "r", numbers={"good": 1.0, "none": float("nan"), "far": np.inf})
    assert json.loads(json.dumps(claim.to_dict(), allow_nan=False))["numbers"] == {
        "good": 1.0,
        "none": None,
        "far": None,
    }
