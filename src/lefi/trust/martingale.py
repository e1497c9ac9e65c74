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
import scipy

from lefi.arrays import FloatArray

SHIFTS = (1.5, 2.5, 4.0)  # d, in standard deviations of what is expected of the first such round
OFTEN = 0.25  # q: rounds in which a sporadic cheat cheats
FIRST, LATER, SPORADIC = 0.5, 0.3, 0.2  # weights: a cheat from the start, from some later round on, now and then
CLIP = 3.5  # standard deviations: no single round weighs more


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


@lru_cache(maxsize=1000)
def _factors(spread: Spread, rounds: int) -> tuple[FloatArray, FloatArray]:
    """L, and a_s in columns: the same for all clients of a score after so many rounds."""
    L = np.asarray(np.linalg.cholesky(spread.covariance(rounds)), np.float64)
    return L, np.asarray(scipy.linalg.solve_triangular(L, np.tril(np.ones((rounds, rounds))), lower=True))


def log_evidence(z: FloatArray, spread: Spread) -> FloatArray:
    """Of the clients (rows) after their rounds (columns), all equally many."""
    clients, rounds = z.shape
    if rounds == 0:
        return np.zeros(clients)
    L, a = _factors(spread, rounds)
    whole = float(L[0, 0])
    centred = np.clip(z - spread.mu, -CLIP * whole, CLIP * whole)
    w = scipy.linalg.solve_triangular(L, centred.T, lower=True, check_finite=False)
    start, sd = np.arange(rounds), np.diag(L)
    weights = np.log(np.where(start == 0, FIRST, LATER / np.maximum(start * (start + 1), 1)) / len(SHIFTS))
    parts = [np.full((1, clients), np.log(LATER / rounds))]  # starts that have not come yet
    for shift in SHIFTS:
        d = shift * sd[:, None]
        parts.append(-d * (a.T @ w) - d**2 / 2 * (a**2).sum(axis=0)[:, None] + weights[:, None])
        now_and_then = np.logaddexp(np.log1p(-OFTEN), np.log(OFTEN) - shift * w - shift**2 / 2).sum(axis=0)
        parts.append(now_and_then[None] + np.log(SPORADIC / len(SHIFTS)))
    return np.asarray(np.logaddexp.reduce(np.concatenate(parts), axis=0))
