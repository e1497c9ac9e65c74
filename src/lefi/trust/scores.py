"""Six scores of an update, low where it is suspicious: relative to the others, claim and skew regressed out.

size       how much data the update looks like, over how much was claimed      no or little work
size_free  the same without lengths and gains, which can be scaled             little work, rescaled
fresh      share of the update outside the last global changes                 replay
gain       what it does for the validation classes that it helps               noise, no work
own        cosine to the server's own update                                   noise
unique     distance to the nearest other client                                copies
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray
from lefi.trust.others import against_others

Features = dict[str, FloatArray]

COVARIATES = ("claim", "skew", "entropy")
PLAIN = {"fresh": "fresh", "gain": "gain_positive", "own": "cos_own", "unique": "unique"}
SIZES = ("size", "size_free")
NAMES = (*SIZES, *PLAIN)
# By score, in logarithms (`own`: as a cosine): a smaller spread is taken for that much. Honest clients differ by little
# in some scores beside what a cheat does: a replay has -1.6 in `fresh`, a copy -4 in `unique`, noise -2 in `gain`.
# Others that cheat, or a model that learns otherwise than those of the reference, move them by more than that little.
LEAST = np.array([0.2, 0.2, 0.15, 0.4, 0.08, 0.4])
SCALABLE = ("norm", "new", "gain", "gain_positive", "gain_most")  # what a client raises by scaling its update
SMALL = 0.05  # of the spread, added to a score before its logarithm: scores of zero say little about the spread
RIDGE = 1e-2  # of the number of rows: half and twice move the size's error by less than 1% (digits)


@dataclass(frozen=True, eq=False)
class Sizing:
    """A ridge regression of the claim on features, both against the others; `gain` undoes its shrinking."""

    names: tuple[str, ...]
    mean: FloatArray
    std: FloatArray
    weights: FloatArray
    gain: float

    @classmethod
    def fit(cls, names: tuple[str, ...], rows: Features) -> "Sizing":
        X, y = _matrix(rows, names), rows["claim"]
        mean, std = X.mean(axis=0), X.std(axis=0) + 1e-9
        Z = np.column_stack([np.ones(len(X)), (X - mean) / std])
        penalty = RIDGE * len(Z) * np.diag(np.arange(Z.shape[1]) > 0)
        weights = np.linalg.solve(Z.T @ Z + penalty, Z.T @ y)
        return cls(names, mean, std, weights, float(np.polyfit(y, Z @ weights, 1)[0]))

    def looks(self, rows: Features) -> FloatArray:
        """Log of the size that the updates look like, against the others."""
        Z = (_matrix(rows, self.names) - self.mean) / self.std
        return np.asarray((self.weights[0] + Z @ self.weights[1:]) / self.gain)


@dataclass(frozen=True, eq=False)
class Scorer:
    """Of one round: a client is suspicious as far as it is so both among the others and alone.

    Among the others: where they cheat, what is usual is blurred, and honest clients look odd. Alone: where the model
    has learned otherwise than those of the reference, everybody looks odd. Cheats are odd in both.
    """

    among: "Side"
    alone: "Side"

    @classmethod
    def fit(cls, rounds: Iterable[Features]) -> "Scorer":
        rounds = list(rounds)
        return cls(Side.fit(joined([centred(one) for one in rounds])), Side.fit(joined(rounds)))

    def scores(self, features: Features) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(clients, scores), in the order of NAMES, the same alone, and the log of the size that updates look like."""
        among, size = self.among.told(against_others(self.among.values(features)))
        alone, _ = self.alone.scores(features)
        return np.maximum(among, alone), alone, np.asarray(size + features["claim"])


@dataclass(frozen=True, eq=False)
class Side:
    """Of one round, learned from such rounds of clients that are known to be honest.

    What claim and skew do to a score changes as the model learns: evenly mixed clients lie within the last changes in
    the third round, and outside of them in the twentieth.
    """

    names: tuple[str, ...]
    zeros: FloatArray  # (2 scores + 1,): of features that are all zero
    lines: FloatArray  # (features, 2 scores + 1): by feature the scores, the logs of their widths, log size over claim

    @classmethod
    def fit(cls, rows: Features) -> "Side":
        """From features against the others, of all clients of some rounds one after the other."""
        seen = tuple(name for name in rows if name not in ("claim", "unique", "fresh"))
        free = tuple(name for name in seen if name not in SCALABLE)
        sizing = {"size": Sizing.fit((*seen, "unique"), rows), "size_free": Sizing.fit(free, rows)}
        X, raw = _covariates(rows), _raw(sizing, rows)
        slopes = np.asarray(np.linalg.lstsq(X, raw, rcond=None)[0], np.float64)  # what such a claim and skew do
        left = raw - X @ slopes
        spread = np.log(np.abs(left) + SMALL * left.std(axis=0) + 1e-12)
        widths = np.asarray(np.linalg.lstsq(X, spread, rcond=None)[0], np.float64)  # skewed clients vary more
        widths[0] += np.log(np.quantile(np.abs(left) / np.exp(X @ widths), 0.8, axis=0) / 1.28)

        def told(rows: Features) -> FloatArray:
            X, raw = _covariates(rows), _raw(sizing, rows)
            return np.column_stack([raw - X @ slopes, X @ widths, raw[:, 0]])

        return cls(tuple(rows), *_linear(told, tuple(rows)))

    def scores(self, rows: Features) -> tuple[FloatArray, FloatArray]:
        """(clients, scores), wide where honest clients of such claim and skew are, and the log of size over claim."""
        return self.told(self.values(rows))

    def values(self, rows: Features) -> FloatArray:
        """(clients, features)."""
        return np.array([rows[name] for name in self.names]).T

    def told(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Scores and size of such values."""
        told, scores = self.zeros + values @ self.lines, len(NAMES)
        return told[:, :scores] / np.maximum(np.exp(told[:, scores:-1]), LEAST), told[:, -1]


def _linear(told: Callable[[Features], FloatArray], names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """What it says of zeros, and by feature: it is linear, so unit features tell all of it."""
    units = np.vstack([np.zeros(len(names)), np.eye(len(names))])
    found = told(dict(zip(names, units.T, strict=True)))
    return found[0], found[1:] - found[0]


def centred(features: Features) -> Features:
    """The features of a round, each against the others of the round."""
    values = against_others(np.array(list(features.values())).T)
    return dict(zip(features, values.T, strict=True))


def joined(rounds: Iterable[Features]) -> Features:
    """The clients of several rounds one after the other."""
    rounds = list(rounds)
    return {name: np.concatenate([one[name] for one in rounds]) for name in rounds[0]}


def _raw(sizing: dict[str, Sizing], rows: Features) -> FloatArray:
    sizes = [sizing[name].looks(rows) - rows["claim"] for name in SIZES]
    return np.column_stack([*sizes, *(rows[of] for of in PLAIN.values())])


def _covariates(rows: Features) -> FloatArray:
    return np.column_stack([np.ones(len(rows["claim"])), _matrix(rows, COVARIATES)])


def _matrix(rows: Features, names: Iterable[str]) -> FloatArray:
    return np.column_stack([rows[name] for name in names])
