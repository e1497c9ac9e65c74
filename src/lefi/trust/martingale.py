"""Evidence against a client, round by round, that an honest one outgrows 1 / alpha with a chance of at most alpha.

Honest: z ~ N(mu, K), K(t, t') = tau^2 + delta^2 exp(-|t - t'| / length) + sigma^2 [t = t']: what a client is once and
for all, what drifts as the model learns its classes, and chance. A cheat from round s on lowers z by d from there. With
K = L L', w = L^-1 (z - mu) and a_s = L^-1 [t >= s],

    log E_s = -d a_s w - d^2 a_s a_s / 2

is the exact likelihood ratio. All starts live in the history of the one client, so their mixture is a martingale: the
chance that it ever passes 1 / alpha is at most alpha (Ville). A client that cheats now and then is met by one more: the
product over rounds of 1 - q + q N(z; m - d, v) / N(z; m, v), with m and v as the rounds before predict.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray

SHIFTS = (1.5, 2.5, 4.0)  # d, in standard deviations of what is expected of the first such round
OFTEN = 0.25  # q: rounds in which a sporadic cheat cheats
FIRST, LATER, SPORADIC = 0.5, 0.3, 0.2  # weights: a cheat from the start, from some later round on, now and then
AHEAD = 32  # rounds for which factors are computed at once, at least; a job that is longer doubles them
CLIP = 3.5  # standard deviations: no single round weighs more
AT_ONCE = 4  # factors of rounds that are multiplied before their logarithm: a double holds 4 of the largest, not 100


class Spread(NamedTuple):
    """Of honest clients in one score: mean, and standard deviations between clients, drifting and by chance."""

    mu: float
    tau: float
    delta: float
    length: float  # rounds
    sigma: float

    def covariance(self, rounds: int) -> FloatArray:
        apart = np.abs(np.subtract.outer(np.arange(rounds), np.arange(rounds)))
        drift = self.delta**2 * np.exp(-apart / self.length)
        return np.asarray(self.tau**2 + drift + self.sigma**2 * np.eye(rounds))


class _Factors(NamedTuple):
    """The same for all clients, by score. Those of fewer rounds are the first rows and columns of those of more."""

    inverse: FloatArray  # L^-1
    a: FloatArray  # a_s in columns
    squares: FloatArray  # (scores, rounds, starts): a_s a_s by the end of each round
    shifts: FloatArray  # (shifts, scores, starts): d
    weights: FloatArray  # (starts,): log
    most: FloatArray  # (scores,): what z is clipped to, around mu


@lru_cache(maxsize=100)
def _factors(spreads: tuple[Spread, ...], rounds: int) -> _Factors:
    L = np.array([np.linalg.cholesky(one.covariance(rounds)) for one in spreads])
    inverse = np.linalg.inv(L)
    start = np.arange(rounds)
    weights = np.log(np.where(start == 0, FIRST, LATER / np.maximum(start * (start + 1), 1)) / len(SHIFTS))
    a = inverse @ np.tril(np.ones((rounds, rounds)))
    sd = np.diagonal(L, axis1=1, axis2=2)
    shifts = np.multiply.outer(np.array(SHIFTS), sd)
    return _Factors(inverse, a, np.cumsum(a**2, axis=1), shifts, weights, CLIP * sd[:, 0])


def log_evidence(z: FloatArray, spread: Spread) -> FloatArray:
    """Of the clients (rows) after their rounds (columns), all equally many."""
    return log_evidences(z.T[None], (spread,))[0]


def log_evidences(z: FloatArray, spreads: tuple[Spread, ...]) -> FloatArray:
    """(scores, clients) from z (scores, rounds, clients)."""
    scores, rounds, clients = z.shape
    if rounds == 0:
        return np.zeros((scores, clients))
    enough = max(AHEAD, 2 ** int(np.ceil(np.log2(rounds))))
    inverse, a, squares, d, weights, most = _factors(spreads, enough)
    inverse, a, d = inverse[:, :rounds, :rounds], a[:, :rounds, :rounds], d[:, :, :rounds, None]
    mu, most = np.array([one.mu for one in spreads])[:, None, None], most[:, None, None]
    w = inverse @ np.minimum(np.maximum(z - mu, -most), most)
    steady = d * (a.transpose(0, 2, 1) @ w)
    np.subtract(weights[:rounds, None] - d**2 / 2 * squares[:, rounds - 1, :rounds, None], steady, out=steady)
    sporadic = _sporadic(w)
    later = np.log(LATER / rounds)  # starts that have not come yet
    top = np.maximum(np.maximum(steady.max(axis=(0, 2)), sporadic.max(axis=0)), later)
    steady -= top[:, None]
    parts = np.exp(steady, out=steady).sum(axis=(0, 2)) + np.exp(sporadic - top).sum(axis=0) + np.exp(later - top)
    return np.asarray(top + np.log(parts))


def _sporadic(w: FloatArray) -> FloatArray:
    """(shifts, scores, clients) from w (scores, rounds, clients)."""
    shift = np.array(SHIFTS)[:, None, None, None]
    factors = shift * w
    np.subtract(np.log(OFTEN) - shift**2 / 2, factors, out=factors)
    np.exp(factors, out=factors)
    factors += 1 - OFTEN
    told = np.full((len(SHIFTS), len(w), w.shape[2]), np.log(SPORADIC / len(SHIFTS)))
    for first in range(0, w.shape[1], AT_ONCE):
        told += np.log(factors[:, :, first : first + AT_ONCE].prod(axis=2))
    return told
