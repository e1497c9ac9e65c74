"""What the server believes about every client: tracks, their weights, noise, and what the fleet has in common.

n clients, sorted by id; the fleet's share of the knowledge (prior of locations, chances of the tracks, noise, pace of
change) is learned from all clients, so that a newcomer starts from it (empirical Bayes).
"""

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.learning import learn_answer
from lefi.mechanisms.tracks import (
    CAPPED,
    COLUMNS,
    CV,
    EVIDENCE,
    FAMILY,
    HIGH,
    HINGE,
    LOW,
    SEEN,
    STEP_TRACK,
    TRACKS,
    C,
    M,
    V,
    truncate,
)

CHANCES = np.array([0.35, 0.35, 0.05, 0.05, 0.03, 0.03, 0.10, 0.04])  # of the tracks, before anything is known
GROUPS = ([0, 1], [2, 3], [4, 5], [6], [7])  # tracks that share a prior of their locations
NOISE = 0.03  # relative noise of an answer, before anything is known
QUIET = 5e-4  # and at least
LOUD = 0.5  # and at most
VAGUE = 2.0  # standard deviation of a location before anything is known, in log money
WIDE = 4.0  # most that a variance of a location grows to
PSEUDO = 4.0  # answers that the fleet's noise counts for, beside the client's own


class Belief:
    """Tracks of clients that come, go and miss rounds."""

    def __init__(self, start: float, floor: float, high: float) -> None:
        self.floor, self.high = floor, high
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.rate: FloatArray = np.empty(0)
        self.tracks: FloatArray = np.empty((0, TRACKS, COLUMNS))
        self.count: FloatArray = np.empty(0)  # answers learned from
        self.noise: FloatArray = np.empty(0)  # own estimate of the squared relative noise
        self.judged: FloatArray = np.empty(0)  # answers behind it
        self.surprise: FloatArray = np.empty(0)  # last standardised surprise
        self.fleet_noise = NOISE**2
        self.fade = 0.9
        self.chances = CHANCES.copy()
        self.centre = first_guess(start, high)
        self.spread = np.full(TRACKS, VAGUE**2)
        self.first = (self.centre.copy(), self.spread.copy())

    def rows(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Where these ids stand, and which of them are known."""
        if self.ids.size == 0:
            return np.zeros(ids.size, dtype=np.int64), np.zeros(ids.size, dtype=bool)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        return at, self.ids[at] == ids

    def read(self, ids: IntArray, rate: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Tracks, their probabilities, relative noise and number of answers of these clients, newcomers included."""
        at, known = self.rows(ids)
        tracks = self._newcomers(rate)
        count, rho = np.zeros(ids.size), self._rho(np.zeros(ids.size), np.zeros(ids.size))
        at = at[known]
        tracks[known], count[known] = self.tracks[at], self.count[at]
        rho[known] = self._rho(self.noise[at], self.judged[at])
        return tracks, probabilities(tracks, self.chances), rho, count

    def tell(self, ids: IntArray, rate: FloatArray, x: FloatArray, y: FloatArray, limit: FloatArray) -> None:
        """Learn from one answer per client (ids sorted); where y is NaN there is none."""
        self._admit(ids, rate)
        at, _ = self.rows(ids)
        self.tracks[at, :, V] = np.minimum(self.tracks[at, :, V] / self.fade, WIDE)
        self.tracks[at, :, CV] /= self.fade
        heard = ~np.isnan(y)
        at, x, y, limit = at[heard], x[heard], y[heard], limit[heard]
        rho = self._rho(self.noise[at], self.judged[at])
        chi, u, says = np.empty(at.size), np.empty(at.size), np.empty(at.size)
        learn_all(self.tracks, at, x, y, limit, self.rate[at], rho, self.floor, self.high, chi, u, says)
        self._learn_noise(at, rho, np.minimum(chi, 25.0), says)
        self._learn_pace(at, np.clip(u, -2, 2))
        self.count[at] += 1
        self._learn_fleet(self.rows(ids)[0])

    def _rho(self, noise: FloatArray, judged: FloatArray) -> FloatArray:
        return np.clip(np.sqrt((PSEUDO * self.fleet_noise + judged * noise) / (PSEUDO + judged)), QUIET, LOUD)

    def _learn_noise(self, at: IntArray, rho: FloatArray, chi: FloatArray, says: FloatArray) -> None:
        """Where answers scatter chi times as much as predicted, the noise is that much larger.

        `says` is the part of the predicted scatter that is noise and not doubt: how much the answer says about it.
        """
        self.judged[at] = np.minimum(self.judged[at] + says, 20)
        self.noise[at] += says * (rho**2 * chi - self.noise[at]) / np.maximum(self.judged[at], 1e-9)
        judged = self.judged[at] > 0.3
        if judged.any():
            answers = float(self.judged[at].sum())
            typical = float(np.median(self.noise[at][judged])) / 0.6  # the median of few squares lies below their mean
            self.fleet_noise = (NOISE**2 + answers * typical) / (1 + answers)

    def _learn_pace(self, at: IntArray, u: FloatArray) -> None:
        """Surprises that repeat their sign mean that beliefs lag behind: fade faster; else slower."""
        product = u * self.surprise[at]
        lag = float(product.sum() / (1 + np.abs(product).sum()))
        self.fade = float(np.clip(self.fade * np.exp(-0.2 * lag) + 0.005, 0.5, 0.97))
        self.surprise[at] = u

    def _learn_fleet(self, at: IntArray) -> None:
        """Chances of the tracks and prior of their locations, from the clients that are here."""
        share = probabilities(self.tracks[at], self.chances)
        self.chances = (2 * CHANCES + share.sum(axis=0)) / (2 + at.size)
        location = self.tracks[at, :, M] + offset(self.rate[at])
        sharp = share * (self.tracks[at, :, V] < 0.3)
        for group in GROUPS:
            known, where = sharp[:, group], location[:, group]
            total = float(known.sum())
            prior, width = self.first[0][group[0]], self.first[1][group[0]]
            centre = (0.1 * prior + float((known * where).sum())) / (0.1 + total)
            around = float((known * (where - centre) ** 2).sum())
            self.centre[group], self.spread[group] = centre, (0.3 * width + around) / (0.3 + total) + 0.05
        pool(self.tracks, at, self.rate[at], self.centre, self.spread)

    def _newcomers(self, rate: FloatArray) -> FloatArray:
        tracks = np.zeros((rate.size, TRACKS, COLUMNS))
        tracks[:, :, M] = self.centre - offset(rate)
        tracks[:, :, V] = self.spread
        tracks[:, :, LOW], tracks[:, :, HIGH] = -np.inf, np.inf
        return tracks

    def _admit(self, ids: IntArray, rate: FloatArray) -> None:
        """Give newcomers a row; rows stay sorted by id."""
        at, known = self.rows(ids)
        self.rate[at[known]] = rate[known]
        new = ~known
        if not new.any():
            return
        into = np.searchsorted(self.ids, ids[new])
        self.tracks = np.insert(self.tracks, into, self._newcomers(rate[new]), axis=0)
        self.ids, self.rate = np.insert(self.ids, into, ids[new]), np.insert(self.rate, into, rate[new])
        self.count, self.surprise = np.insert(self.count, into, 0.0), np.insert(self.surprise, into, 0.0)
        self.noise, self.judged = np.insert(self.noise, into, 0.0), np.insert(self.judged, into, 0.0)


def offset(rate: FloatArray) -> FloatArray:
    """What makes locations of clients with different rates comparable: log price = b + log rate on a hinge."""
    hinge = np.array([family == HINGE for family in FAMILY])
    return np.where(hinge, np.log(rate)[:, None], 0.0)


def first_guess(start: float, high: float) -> FloatArray:
    """Locations at which the first offer, log weight `start`, buys half of size_high (rate 1 on a hinge)."""
    half = 0.5 * high
    return start - np.array([half, half, np.log(half), np.log(half), 2 * np.log(half), 2 * np.log(half), 1.0, 0.0])


def probabilities(tracks: FloatArray, chances: FloatArray) -> FloatArray:
    """Of each client's tracks; a capped track that has seen no cap says nothing that the open one does not."""
    unborn = np.array(CAPPED) & (tracks[:, :, C] == 0)
    unborn[:, STEP_TRACK] = False
    p = np.where(unborn, 0.0, np.exp(tracks[:, :, EVIDENCE]) * chances)
    return p / p.sum(axis=1, keepdims=True)


@compiled
def learn_all(tracks, at, x, y, limit, rate, rho, floor, high, chi, u, says):  # type: ignore[no-untyped-def]
    for i in range(at.size):
        chi[i], u[i], says[i] = learn_answer(tracks[at[i]], x[i], y[i], limit[i], rate[i], rho[i], floor, high)


@compiled
def pool(tracks, at, rate, centre, spread):  # type: ignore[no-untyped-def]
    """Locations that no answer has shown yet follow the fleet, within their bounds."""
    for i in range(at.size):
        for t in range(TRACKS):
            s = tracks[at[i], t]
            if s[SEEN] == 0:
                shift = np.log(rate[i]) if FAMILY[t] == HINGE else 0.0
                s[M], s[V] = truncate(centre[t] - shift, spread[t], s[LOW], s[HIGH])
