"""The numbers that README and docs quote, as the report's own file: numbers.json."""

from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.studies.claims import Claim
from lefi.studies.figures import deviation, money, needed
from lefi.studies.figures.style import in_order
from lefi.studies.judge.dearness import dearness, points_at_stake
from lefi.studies.judge.statistics import Interval, median
from lefi.studies.report.shape import DEVIATION, MONEY
from lefi.studies.run.results import Finished, Results, matrix

OVER = 1e-9  # overspend below this is rounding
WORTH = ("convergence", "mixed")
DIGITS = 6  # significant


def numbers(found: Results, claims: list[Claim]) -> dict[str, Any]:
    """All of them; what could not be measured is left out."""
    told: dict[str, Any] = {"claims": {claim.key: [claim.claim, claim.verdict, claim.ours] for claim in claims}}
    studies = {name: study for name in WORTH if (study := found.get(name)) is not None}
    told["worth"] = {name: _worth(study) for name, study in studies.items()}
    told["over"] = _over(found)
    spent, kept = found.get(MONEY), found.get(DEVIATION)
    told |= {"money": _money(spent)} if spent else {}
    told |= {"deviation": _deviation(kept)} if kept else {}
    return told


def _worth(study: Finished) -> dict[str, Any]:
    """What there is to gain, and per mechanism its share and what equal weights must pay for its accuracy."""
    names = in_order(study.mechanisms)
    return {
        "fleets": study.seeds,
        "round": study.last,
        "points": _three(median(points_at_stake(study))),
        "share": {name: _three(median(matrix(study.of(name), "share").at(study.last))) for name in names},
        "dear": {name: _three(median(dearness(study, name))) for name in names} if study.runs else {},
    }


def _over(found: Results) -> dict[str, list[int]]:
    """Rounds over the budget and rounds in all, per mechanism."""
    counts: dict[str, list[int]] = {}
    for study in found.studies.values():
        for name in study.mechanisms:
            over = study.of(name)["overspend"].to_numpy() > OVER
            known = counts.setdefault(name, [0, 0])
            known[0] += int(over.sum())
            known[1] += over.size
    return {name: counts[name] for name in in_order(counts)}


def _money(study: Finished) -> dict[str, Any]:
    found, cheapest = money.compute(study), needed.compute(study).needed
    lines = found.accuracy | {"oracle of the curve": found.oracle, "first_best": found.first_best}
    enough = {name: float(line.middle[-1]) for name, line in cheapest.items()}
    return {
        "fleets": study.seeds,
        "round": study.last,
        "budgets": found.oracle.by.tolist(),
        "accuracy": {name: _rounded(line.middle) for name, line in lines.items()},
        "needed": {name: _number(value) for name, value in enough.items()},
    }


def _deviation(study: Finished) -> dict[str, Any]:
    found = deviation.compute(study)
    keep = {name: _rounded(np.quantile(values, (0.05, 0.5, 0.95))) for name, values in found.surplus.items()}
    gain = {name: _rounded(np.array([np.median(values), values.max()])) for name, values in found.gain.items()}
    worst = {name: _number(value) for name, value in found.loss.items()}
    return {"fleets": study.seeds, "keep": keep, "gain": gain, "worst": worst}


def _three(found: Interval) -> list[float | None]:
    return [_number(value) for value in found]


def _rounded(values: FloatArray) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: Any) -> float | None:
    """None where there is none: JSON knows no NaN and no infinity."""
    return float(f"{float(value):.{DIGITS}g}") if np.isfinite(value) else None
