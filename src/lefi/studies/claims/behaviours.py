"""Checks of the paper's claims about clients that choose in other ways than the rational one, and that change."""

import numpy as np

from lefi.arrays import FloatArray
from lefi.studies.claims.claim import Finding, last, need, spelled
from lefi.studies.claims.sweeps import at_the_end
from lefi.studies.judge.statistics import median, told
from lefi.studies.run.results import Results

ENOUGH = 0.9  # of the oracle's gain
RULES = ("noisy", "reluctant", "stubborn")  # scenarios whose clients choose by another rule than the paper's
MORE = ("logit", "sticky", "convex", "metered")  # and those of the heavy study of rules
CHANGING = ("churning", "drifting")


def any_rule(results: Results) -> Finding:
    """(h) Works with any data-selection rule: share of lefi in the last round, per rule."""
    studies = {name: need(results, f"scenario_{name}", "lefi") for name in RULES}
    shares = {name: last(study, "share", "lefi") for name, study in studies.items()}
    more = at_the_end(results.heavy("rules"))
    shares |= {name: more.filter(mechanism="lefi", scenario=name)["share"].to_numpy() for name in MORE}
    still = median(more.filter(mechanism="still")["share"].to_numpy())
    rounds = f"round {min(study.last for study in studies.values())} (the last four: {more['round'][0]})"
    found = _judged(shares, rounds)
    found.numbers["still"] = float(still.middle)
    words = f"{found.measured}; weights that never move, the control, {told(still)}"
    return Finding(words, found.parts, found.reasons, found.numbers)


def dynamic(results: Results) -> Finding:
    """(n) Works while clients come and go and their costs drift."""
    studies = {name: need(results, f"scenario_{name}", "lefi") for name in CHANGING}
    shares = {name: last(study, "share", "lefi") for name, study in studies.items()}
    return _judged(shares, f"round {min(study.last for study in studies.values())}")


def _judged(shares: dict[str, FloatArray], when: str) -> Finding:
    found = {name: median(np.asarray(values)) for name, values in shares.items()}
    measured = ", ".join(f"{name} {told(share)}" for name, share in found.items())
    parts = {name: float(share.middle) >= ENOUGH for name, share in found.items()}
    numbers = {key: value for name, share in found.items() for key, value in spelled(name, share).items()}
    return Finding(
        f"share of the oracle's gain in {when}: {measured}",
        list(parts.values()),
        [f"the share in {name} is below {ENOUGH}" for name, holds in parts.items() if not holds],
        numbers,
    )
