"""A claim, what was measured about it, and the verdict that a stated rule gives."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from lefi.arrays import FloatArray
from lefi.studies.judge.statistics import Interval
from lefi.studies.run.results import Finished, Matrix, Results, matrix

Verdict = Literal["confirmed", "partly", "not confirmed", "not tested yet"]
EQUAL = 0.003  # accuracies closer than this have met (design of the claims table)
LEVEL = 1e-4  # a lead smaller than this is no lead
RIVALS = ("bara", "random")  # those of the paper


@dataclass(frozen=True)
class Claim:
    """One row of the table. `numbers` holds what was measured, for tests and machines.

    >>> from lefi.studies.claims import Claim
    >>> Claim("z", "It is fast.", "0.2 s a round", "confirmed", "At most 1 s a round.").to_dict()["verdict"]
    'confirmed'
    """

    key: str
    claim: str
    measured: str
    verdict: Verdict
    rule: str
    reason: str = ""
    ours: bool = False
    numbers: dict[str, float] = field(default_factory=dict)
    short: str = ""  # a few words
    chance: float | None = None  # of what was measured if there were nothing to it; None where the rule has no interval
    corrected: float | None = None  # for the number of claims that have one (Holm)

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it: numbers that are not finite become None."""
        numbers = {name: value if np.isfinite(value) else None for name, value in self.numbers.items()}
        return asdict(self) | {"numbers": numbers}


@dataclass(frozen=True)
class Finding:
    """What a check found: the words, the parts that hold or not, why not, the numbers and the chances behind it."""

    measured: str
    parts: Sequence[bool]
    reasons: Sequence[str] = ()
    numbers: dict[str, float] = field(default_factory=dict)
    chances: Sequence[float] = ()  # of each part that rests on an interval

    @property
    def chance(self) -> float | None:
        """All parts have to hold, so that of the weakest is that of the claim."""
        return max(self.chances, default=None)


class Untested(Exception):
    """The results lack what the check needs; the message says what."""


def verdict(parts: Sequence[bool]) -> Verdict:
    """All parts hold: confirmed; some: partly; none: not confirmed."""
    if all(parts):
        return "confirmed"
    return "partly" if any(parts) else "not confirmed"


def need(results: Results, study: str, *mechanisms: str) -> Finished:
    """The study with runs of these mechanisms, or `Untested`."""
    found = results.get(study)
    if found is None:
        raise Untested(f"study {study} is missing ({results.missing.get(study, 'not asked for')})")
    absent = [name for name in mechanisms if name not in found.mechanisms]
    if absent:
        raise Untested(f"study {study} has no runs of {', '.join(absent)}")
    return found


def finals(study: Finished, value: str, by: str, mechanism: str) -> Matrix:
    """A column of the last round, by seed and swept setting; all mechanisms with the same seeds."""
    final = study.final()
    return matrix(final.filter(final["mechanism"] == mechanism), value, by, seeds=sorted(final["seed"].unique()))


def last(study: Finished, value: str, mechanism: str) -> FloatArray:
    """A column of the last round, one value per seed."""
    return finals(study, value, "round", mechanism).values[:, 0]


def spelled(name: str, found: Interval) -> dict[str, float]:
    """An interval as three numbers of a claim."""
    return {name: float(found.middle), f"{name}_low": float(found.low), f"{name}_high": float(found.high)}
