"""Check of the paper's claim about clients that choose their data in other ways than the rational one."""

from lefi.studies.claims.claim import Finding, last, need, spelled
from lefi.studies.judge.statistics import median, told
from lefi.studies.run.results import Results

ENOUGH = 0.9  # of the oracle's gain
RULES = ("noisy", "reluctant", "stubborn")  # scenarios whose clients choose by another rule than the paper's


def any_rule(results: Results) -> Finding:
    """(h) Works with any data-selection rule: share of lefi in the last round, per rule."""
    studies = {name: need(results, f"scenario_{name}", "lefi") for name in RULES}
    shares = {name: median(last(study, "share", "lefi")) for name, study in studies.items()}
    measured = ", ".join(f"{name} {told(share)}" for name, share in shares.items())
    parts = {name: float(share.middle) >= ENOUGH for name, share in shares.items()}
    numbers = {key: value for name, share in shares.items() for key, value in spelled(name, share).items()}
    return Finding(
        f"share of the oracle's gain in round {min(study.last for study in studies.values())}: {measured}",
        list(parts.values()),
        [f"the share in {name} is below {ENOUGH}" for name, holds in parts.items() if not holds],
        numbers,
    )
