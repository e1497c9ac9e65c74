"""Six scores of an update, low where it is suspicious: relative to the others, claim and skew regressed out.

size       how much data the update looks like, over how much was claimed      no or little work
size_free  the same without lengths and gains, which can be scaled             little work, rescaled
fresh      share of the update outside the last global changes                 replay
gain       what it does for the validation classes that it helps               noise, no work
own        cosine to the server's own update                                   noise
unique     distance to the nearest other client                                copies
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray
from lefi.trust.others import against_others

Features = dict[str, FloatArray]

COVARIATES = ("claim", "skew", "entropy")
PLAIN = {"fresh": "fresh", "gain": "gain_positive", "own": "cos_own", "unique": "unique"}
SIZES = ("size", "size_free")
NAMES = (*SIZES, *PLAIN)
SCALABLE = ("norm", "new", "gain", "gain_positive", "gain_most")  # what a client raises by scaling its update
SMALL = 1e-2  # added to a score before its logarithm: scores of zero say little about the spread
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
    def fit(cls, names: tuple[str, ...], rounds: Iterable[Features]) -> "Sizing":
        centred = [(_matrix(one, names), against_others(one["claim"])) for one in rounds]
        X, y = np.concatenate([x for x, _ in centred]), np.concatenate([y for _, y in centred])
        mean, std = X.mean(axis=0), X.std(axis=0) + 1e-9
        Z = np.column_stack([np.ones(len(X)), (X - mean) / std])
        penalty = RIDGE * len(Z) * np.diag(np.arange(Z.shape[1]) > 0)
        weights = np.linalg.solve(Z.T @ Z + penalty, Z.T @ y)
        return cls(names, mean, std, weights, float(np.polyfit(y, Z @ weights, 1)[0]))

    def looks(self, features: Features) -> FloatArray:
        """Log of the size that the updates look like, against the others."""
        Z = (_matrix(features, self.names) - self.mean) / self.std
        return np.asarray((self.weights[0] + Z @ self.weights[1:]) / self.gain)


@dataclass(frozen=True, eq=False)
class Scorer:
    """Learned from rounds of clients that are known to be honest."""

    sizing: dict[str, Sizing]
    slopes: dict[str, FloatArray]  # of the plain scores in the covariates
    widths: FloatArray  # (covariates, scores): of the log of a score's spread, since skewed clients vary more

    @classmethod
    def fit(cls, rounds: list[Features]) -> "Scorer":
        seen = tuple(name for name in rounds[0] if name not in ("claim", "unique", "fresh"))
        free = tuple(name for name in seen if name not in SCALABLE)
        sizing = {"size": Sizing.fit((*seen, "unique"), rounds), "size_free": Sizing.fit(free, rounds)}
        X = np.concatenate([_matrix(one, COVARIATES) for one in rounds])
        X = np.column_stack([X, np.ones(len(X))])
        slopes = {}
        for score, name in PLAIN.items():
            y = np.concatenate([against_others(one[name]) for one in rounds])
            slopes[score] = np.linalg.lstsq(X, y, rcond=None)[0][:-1]
        even = cls(sizing, slopes, np.zeros((len(COVARIATES), len(NAMES))))
        spread = np.log(np.abs(np.concatenate([even.scores(one) for one in rounds])) + SMALL)
        return cls(sizing, slopes, np.linalg.lstsq(X, spread, rcond=None)[0][:-1])

    def scores(self, features: Features) -> FloatArray:
        """(clients, scores), in the order of NAMES; wide where honest clients of such claim and skew spread wide."""
        claim, covariates = against_others(features["claim"]), _matrix(features, COVARIATES)
        sizes = [self.sizing[name].looks(features) - claim for name in SIZES]
        plain = [against_others(features[of]) - covariates @ self.slopes[name] for name, of in PLAIN.items()]
        return np.asarray(np.column_stack([*sizes, *plain]) / np.exp(covariates @ self.widths))


def _matrix(features: Features, names: Iterable[str]) -> FloatArray:
    return against_others(np.column_stack([features[name] for name in names]))
