"""What honest clients look like: a file that `lefi.trust.calibration` makes, and where it holds."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError, LefiError
from lefi.files import refusals
from lefi.trust.features import FEWEST
from lefi.trust.martingale import Spread
from lefi.trust.scores import Features, Scorer, Side

FORMAT = 3
SHIPPED = Path(__file__).with_name("digits.json")  # `python -m benchmarks.trust reference` writes it
SKEWED = 1.5  # times the skew of any honest job: clients are others than those of the reference


class Record(NamedTuple):
    """The rounds of one honest job, from the second on: who was there, and the features of each.

    >>> from lefi.trust import Record
    >>> Record(ids=[np.array([0, 1])], features=[{"claim": np.zeros(2)}]).ids
    [array([0, 1])]
    """

    ids: list[IntArray]
    features: list[Features]


@dataclass(frozen=True, eq=False)
class Reference:
    """Scorers by round, spreads, and `about`: the model's size, clients, claims and rounds for which it holds.

    >>> from lefi.trust import Reference
    >>> reference = Reference.read("digits")
    >>> reference.refuse(size=10, claims=np.ones(20))
    'the model has 10 weights, the reference is of one with 2410'
    """

    scorers: tuple[Scorer, ...]
    spreads: tuple[Spread, ...]
    about: dict[str, Any]

    def scaled(self, features: Features, round: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scores in units of the round's spread, the same alone, and the sizes that updates look like, as claimed.

        Rounds beyond the reference are as its last.
        """
        scores, alone, size = self.scorers[min(round, len(self.scorers) - 1)].scores(features)
        return scores, alone, np.exp(size)

    def refuse(self, size: int, claims: FloatArray) -> str | None:
        """Why it does not hold for such a round, or nothing."""
        if size != self.about["weights"]:
            return f"the model has {size} weights, the reference is of one with {self.about['weights']}"
        if len(claims) < FEWEST:
            return f"{len(claims)} clients: at least {FEWEST} are needed to tell what is usual"
        low, high = self.about["claims"]
        if claims.min() < 0.5 * low or claims.max() > 2 * high:
            return f"claims from {claims.min():g} to {claims.max():g}: the reference has {low:g} to {high:g}"
        return None

    def unlike(self, job: Record, size: int) -> list[str]:
        """Why it does not hold for a job that was heard: another model, other claims, clients of another skew."""
        claims = np.exp(np.concatenate([features["claim"] for features in job.features]))
        why = self.refuse(size, claims)
        found, known = skews([job]), self.about.get("skew")
        skewed = known is not None and (found[1] > SKEWED * known[1] or found[0] < known[0] / SKEWED)
        told = f"skew of {found[0]:.3g} to {found[1]:.3g} in the updates: the reference has {known}"
        return [*([why] if why else []), *([told] if skewed else [])]

    def write(self, path: Path) -> None:
        with refusals(path):
            fresh = path.with_suffix(".part")
            fresh.write_text(json.dumps(self._plain()) + "\n", encoding="utf-8")
            fresh.replace(path)

    def _plain(self) -> dict[str, Any]:
        told = {"format": FORMAT, "about": self.about, "spreads": self.spreads}
        return told | {"scorers": [[_told(one.among), _told(one.alone)] for one in self.scorers]}

    @classmethod
    def read(cls, path: Path | str) -> "Reference":
        """From a file of `lefi trust calibrate`; `digits` is one that comes with lefi."""
        path = SHIPPED if str(path) == SHIPPED.stem else path
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError("reference", str(path), f"a readable file ({error.strerror})") from None
        except ValueError:
            raise LefiError(f"{path} is no reference: it is not JSON") from None
        try:
            if told["format"] != FORMAT:
                raise LefiError(f"{path} is a reference of format {told['format']}, not {FORMAT}: make it again")
            scorers = tuple(Scorer(_side(among), _side(alone)) for among, alone in told["scorers"])
            spreads = tuple(Spread(*map(float, one)) for one in told["spreads"])
            return cls(scorers, spreads, dict(told["about"]))
        except (KeyError, TypeError, ValueError) as error:
            raise LefiError(f"{path} is no reference of `lefi trust calibrate`: {error!r}") from None


def _told(side: Side) -> dict[str, Any]:
    return {"names": side.names, "zeros": side.zeros.tolist(), "lines": side.lines.tolist()}


def _side(told: dict[str, Any]) -> Side:
    return Side(tuple(told["names"]), np.array(told["zeros"]), np.array(told["lines"]))


def skews(jobs: Sequence[Record]) -> list[float]:
    """The least and the most that the middle client of a job is skewed: what the last biases take of its update."""
    middles = [float(np.median(np.concatenate([features["skew"] for features in job.features]))) for job in jobs]
    return [min(middles), max(middles)]
