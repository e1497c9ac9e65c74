"""What the server believes about every client: a function of its last answers and of what the fleet has in common.

n clients, sorted by id, each with its last SLOTS answers. The fleet's share of the knowledge (prior of locations,
chances of the kinds, noise) is learned from all clients, so that a newcomer starts from it (empirical Bayes).
"""

from dataclasses import dataclass, fields
from math import sqrt

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.compiled import compiled, in_parts
from lefi.mechanisms.curves import NOTHING, answers_fit
from lefi.mechanisms.fit import fit_client
from lefi.mechanisms.memory import SLOTS, push
from lefi.mechanisms.stairs import fit_odd
from lefi.mechanisms.steps import more_above, pooled_caps
from lefi.mechanisms.tracks import CHANCE, COLUMNS, HINGES, KIND, KINDS, NOISY, TRACKS, TRIFLE, M, V
from lefi.mechanisms.tries import LASTING, patience

CHANCES = np.array([0.35, 0.35, 0.05, 0.05, 0.03, 0.03, 0.10, 0.04, 0.02])  # of the kinds, before anything is known
GROUPS = ([0, 1], [2, 3], [4, 5], [6], [7])  # kinds that share a prior of their locations
NOISE = 0.03  # relative noise of an answer, before anything is known
TRUST = 0.3  # answers that this first guess counts for
QUIET, LOUD = 5e-4, 0.5  # and its bounds
VAGUE = 2.0  # standard deviation of a location before anything is known, in log money
BROAD = 0.3  # variance of a location from which a track teaches the fleet nothing
LEAST_SPREAD = 0.05  # variance of locations among clients that seem all alike
FLOOR = 0.2  # clients that the first guess of the chances counts for, per client of the fleet
FREE = 1.5  # answers that location and cap use up before they show noise
PSEUDO = 12.0  # answers that the fleet's noise counts for, beside the client's own
VOTERS = 4096  # clients that are asked what the fleet has in common, about
FEW, FIRST = 8, 4  # answers below which a client is fitted in every round: while more than one track is left; always
TURNS, RESTS = 12, 4  # rounds between two fits of a client that answers as expected, and of a noisy one
SLOW, FASTER = 0.99, (0.6, 0.2)  # weight of an answer against the next one; less where old answers do not fit


@dataclass(frozen=True, eq=False)
class Known:
    """What is believed about the clients of a roster: tracks, relative noise, size of full delivery.

    last: log weight offered last, NaN where the client is new, or due for a look at all weights.
    paid: the most that this could cost, 0 where it is new.
    patience, low: rounds for which a saving counts, and who is tried low.
    """

    tracks: FloatArray
    rho: FloatArray
    full: FloatArray
    last: FloatArray
    paid: FloatArray
    patience: FloatArray
    low: BoolArray

    def take(self, at: IntArray) -> "Known":
        return Known(*(getattr(self, field.name)[at] for field in fields(self)))


class Belief:
    """Answers and tracks of clients that come, go and miss rounds."""

    def __init__(self, start: float, floor: float, high: float) -> None:
        self.floor, self.high = floor, high
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.rate: FloatArray = np.empty(0)
        self.answers: FloatArray = np.empty((0, 3, SLOTS))  # log weight, limit, size; oldest first
        self.count: IntArray = np.empty(0, dtype=np.int64)  # of them
        self.heard: IntArray = np.empty(0, dtype=np.int64)  # answers in all
        self.tracks: FloatArray = np.empty((0, TRACKS, COLUMNS))
        self.noise: FloatArray = np.empty(0)  # own estimate of the squared relative noise
        self.judged: FloatArray = np.empty(0)  # answers behind it
        self.calm: BoolArray = np.empty(0, dtype=bool)  # quiet, bought, and its last answer was as expected
        self.offer: FloatArray = np.empty(0)  # log weight that was answered last
        self.limit: FloatArray = np.empty(0)  # its limit
        self.full: FloatArray = np.empty(0)  # size that full delivery is taken to be
        self.round = 0
        self.life = LASTING  # rounds that clients stay
        self.fleet_noise = NOISE**2
        self.hard = 0.0  # belief that caps cut answers off, noise and all
        self.more = 0.0  # belief that a plateau is not the cap
        self.caps = pooled_caps(np.empty((0, COLUMNS)), high)  # mean and variance of those of steps
        self.chances = CHANCES.copy()
        self.first = first_guess(start, high)
        self.centre = self.first.copy()
        self.spread = np.full(KINDS, VAGUE**2)

    def read(self, ids: IntArray, rate: FloatArray, later: BoolArray) -> Known:
        """What is believed about these clients, newcomers included; `later`: whose turn to be tried is the second."""
        at, known = self._rows(ids)
        tracks = self.tracks if known.all() and at.size == self.ids.size else self.tracks[at]  # a large copy, if any
        rho, full = self._rho(self.noise[at], self.judged[at]), self.full[at]
        last, limit, _ = self.held(ids)
        paid = -np.exp(last) * np.expm1(-rate * limit)
        last[self._due(at, 3)] = np.nan
        new = ~known
        if new.any():
            rho[new], full[new], last[new], paid[new] = self._rho(np.zeros(1), np.zeros(1)), self.high, np.nan, 0.0
            tracks[new] = self._unknown(rate[new], rho[new])
        heard = np.where(known, self.heard[at], 0)
        return Known(tracks, rho, full, last, paid, *patience(tracks, later, heard, rho, self.life))

    def held(self, ids: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Log weight and limit of the last offer that each of these clients answered, and whether it is calm."""
        at, known = self._rows(ids)
        return self.offer[at], self.limit[at], self.calm[at] & known

    def _unknown(self, rate: FloatArray, rho: FloatArray) -> FloatArray:
        """Tracks of clients that have not answered yet."""
        n = rate.size
        tracks, nothing = np.empty((n, TRACKS, COLUMNS)), np.zeros(n, dtype=np.int64)
        self._fit(np.arange(n), tracks, np.empty((n, 3, SLOTS)), nothing, rate, rho, nothing > 0)
        return tracks

    def _due(self, at: IntArray, phase: int) -> BoolArray:
        """Clients that are looked at in full this round: all that are new and in doubt, and the others in turns."""
        young = (self.heard[at] < FIRST) | ((self.heard[at] < FEW) & (self.tracks[at, 1, CHANCE] > 0))
        return young | ((self.ids[at] + self.round + phase) % TURNS == 0)

    def _rests(self, at: IntArray, rho: FloatArray) -> BoolArray:
        """Noisy clients of a large fleet of whom one answer more tells little: they are fitted in turns too."""
        known = (rho >= NOISY) & (self.heard[at] >= FEW) & (at.size > VOTERS)
        return known & ((self.ids[at] + self.round) % RESTS != 0)

    def tell(self, ids: IntArray, rate: FloatArray, x: FloatArray, y: FloatArray, limit: FloatArray) -> None:
        """Learn from one answer per client (ids sorted); where y is NaN there is none."""
        self._admit(ids, rate)
        at, _ = self._rows(ids)
        heard = ~np.isnan(y)
        rho = self._rho(self.noise[at], self.judged[at])
        fits = np.zeros(at.size, dtype=bool)

        def hear(p: slice) -> None:
            push(self.answers, self.count, at[p], x[p], limit[p], y[p], rho[p], self.high)
            bounds = (self.floor, self.high)
            answers_fit(at[p], self.tracks, x[p], limit[p], y[p], rate[p], rho[p], self.full, bounds, fits[p])

        in_parts(at.size, hear)
        self.heard[at[heard]] += 1
        self.offer[at[heard]], self.limit[at[heard]] = x[heard], limit[heard]
        self.round += 1
        self.life = (LASTING + float(self.heard.sum())) / (1 + self.heard.size - at.size)
        rests = self._rests(at, rho)
        calm = (rests | (fits & (rho < NOISY))) & (y > TRIFLE * self.high)
        self.calm[at] = np.where(heard, calm, self.calm[at] & (x > NOTHING / 2))  # silence leaves it as it was
        fits |= ~heard
        if self.heard[at].max(initial=0) < FEW:  # noise and prior are new: learn them before all others use them
            some = voters(at.size)
            self._learn(at[some], fits[some])
            self._share(at)
        due = (~fits & ~rests) | self._due(at, 0)
        self._learn(at[due], fits[due])
        self._share(at)

    def _learn(self, at: IntArray, fits: BoolArray) -> None:
        """Fit clients under what the fleet has in common; `fits`: they answered as expected."""
        rho = self._rho(self.noise[at], self.judged[at])
        brief = fits & HINGES[self.tracks[at, 0, KIND].astype(np.int64)]
        scatter, weight, self.full[at] = self._fit(at, self.tracks, self.answers, self.count, self.rate, rho, brief)
        self.judged[at] = np.maximum(weight - FREE, 0.0)
        self.noise[at] = rho**2 * scatter / np.maximum(self.judged[at], 0.4)

    def _fit(
        self,
        at: IntArray,
        tracks: FloatArray,
        answers: FloatArray,
        count: IntArray,
        rate: FloatArray,
        rho: FloatArray,
        brief: BoolArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Fit the tracks of the clients in rows `at`; returns scatter, answers behind it, and full delivery."""
        out = np.empty((at.size, 3))
        fleet = (self.centre, self.spread, self.chances, self.hard, self.more, self.caps)
        floor, high, noise = self.floor, self.high, self.fleet_noise

        def fit(p: slice) -> None:
            fit_all(at[p], tracks, answers, count, rate, rho[p], floor, high, fleet, noise, brief[p], out[p])

        in_parts(at.size, fit)
        return out[:, 0], out[:, 1], out[:, 2]

    def _rho(self, noise: FloatArray, judged: FloatArray) -> FloatArray:
        return np.clip(np.sqrt((PSEUDO * self.fleet_noise + judged * noise) / (PSEUDO + judged)), QUIET, LOUD)

    def _share(self, at: IntArray) -> None:
        """Learn what the clients that are here have in common: noise, hard caps, kinds and locations."""
        at = at[voters(at.size)]
        judged = at[self.judged[at] > 0.3]
        if judged.size:
            total = float(self.judged[judged].sum())
            self.fleet_noise = (TRUST * NOISE**2 + total * float(np.median(self.noise[judged]))) / (TRUST + total)
        repeats = float((self.full[at] < (1 - 1e-9) * self.high).sum())
        self.hard = repeats / (1 + repeats)
        self.more = more_above(self.tracks[at, 0, KIND], self.answers[at], self.count[at])
        self.caps = pooled_caps(self.tracks[at, 0], self.high)
        self._pool(self.tracks[at], self.rate[at])

    def _pool(self, tracks: FloatArray, rate: FloatArray) -> None:
        """Chances of the kinds and prior of their locations."""
        kind, chance = tracks[:, :, KIND].astype(np.int64), tracks[:, :, CHANCE]
        n = rate.size
        share = np.bincount(kind.ravel(), weights=chance.ravel(), minlength=KINDS)
        self.chances = ((2 + FLOOR * n) * CHANCES + share) / (2 + FLOOR * n + n)
        location = tracks[:, :, M] + np.where(HINGES[kind], np.log(rate)[:, None], 0.0)
        for group in GROUPS:
            mine = (kind == group[0]) | (kind == group[-1])
            known = chance * mine * (tracks[:, :, V] < BROAD)
            self._locate(group, known, location, tracks[:, :, V])

    def _locate(self, group: list[int], known: FloatArray, location: FloatArray, variance: FloatArray) -> None:
        """A step of expectation-maximisation for the prior of locations, longer where little is known (Aitken)."""
        total = float(known.sum())
        own = known.sum(axis=1)
        middle = (known * location).sum(axis=1) / np.maximum(own, 1e-300)
        doubt = float((known * (variance + (location - middle[:, None]) ** 2)).sum()) / max(total, 1e-300)
        centre = (0.1 * self.first[group[0]] + float((known * location).sum())) / (0.1 + total)
        around = float((known * (variance + (location - centre) ** 2)).sum())
        spread = (0.3 * VAGUE**2 + around) / (0.3 + total)
        told = max(1 - doubt / spread, 0.6)  # share of this that is the clients' and not the prior's own
        old, was = self.centre[group[0]], self.spread[group[0]]
        self.centre[group] = old + (centre - old) / told
        self.spread[group] = max(was * np.clip(spread / was, 0.25, 4.0) ** (1 / told), LEAST_SPREAD)

    def _rows(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Where these ids stand, and which of them are known."""
        if self.ids.size == 0:
            return np.zeros(ids.size, dtype=np.int64), np.zeros(ids.size, dtype=bool)
        if np.array_equal(ids, self.ids):
            return np.arange(ids.size), np.ones(ids.size, dtype=bool)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        return at, self.ids[at] == ids

    def _admit(self, ids: IntArray, rate: FloatArray) -> None:
        """Give newcomers a row; rows stay sorted by id."""
        at, known = self._rows(ids)
        self.rate[at[known]] = rate[known]
        new = ~known
        if not new.any():
            return
        into = np.searchsorted(self.ids, ids[new])
        self.ids, self.rate = np.insert(self.ids, into, ids[new]), np.insert(self.rate, into, rate[new])
        for name in ("answers", "count", "heard", "tracks", "noise", "judged", "calm", "offer", "limit", "full"):
            old = getattr(self, name)
            first = len(old) == 0  # then there is nothing to move, and untouched memory costs nothing
            setattr(
                self, name, np.zeros((into.size, *old.shape[1:]), old.dtype) if first else np.insert(old, into, 0, 0)
            )


def voters(clients: int) -> IntArray:
    """Those that are asked what the fleet has in common."""
    return np.arange(0, clients, 1 + clients // VOTERS)


def first_guess(start: float, high: float) -> FloatArray:
    """Locations at which the first offer, log weight `start`, buys half of size_high (rate 1 on a hinge)."""
    half = 0.5 * high
    return start - np.array([half, half, np.log(half), np.log(half), 2 * np.log(half), 2 * np.log(half), 1.0, 0.0, 0.0])


@compiled
def fit_all(at, tracks, answers, count, rate, rho, floor, high, fleet, fleet_noise, brief, out):  # type: ignore[no-untyped-def]
    """Fit the clients in rows `at`; one whose old answers do not fit the new ones again, with the old ones faded."""
    work, spare, whole = np.empty((6, SLOTS)), np.empty((TRACKS, COLUMNS)), bool(0)  # False would compile all twice
    for i in range(at.size):
        r = at[i]
        x, limit, y, n = answers[r, 0], answers[r, 1], answers[r, 2], count[r]
        out[i, 0], out[i, 1], out[i, 2] = fit_client(
            tracks[r], x, limit, y, n, rate[r], rho[i], SLOW, floor, high, fleet, brief[i], work
        )
        noise = sqrt(rho[i] ** 2 * out[i, 0] / max(out[i, 1] - FREE, 0.4))
        full = fit_odd(tracks[r], x, limit, y, n, rate[r], noise, floor, high, fleet)
        if full > 0:
            out[i, 0], out[i, 1], out[i, 2] = 0.0, n, full
            continue
        for fade in FASTER:
            noise = rho[i] ** 2 * out[i, 0] / max(out[i, 1] - FREE, 0.4)
            if noise <= 9 * max(fleet_noise, QUIET**2) or n <= 2:
                break
            scatter, weight, _ = fit_client(
                spare, x, limit, y, n, rate[r], rho[i], fade, floor, high, fleet, whole, work
            )
            if rho[i] ** 2 * scatter / max(weight - FREE, 0.4) < 0.25 * noise:
                tracks[r], out[i, 0], out[i, 1] = spare, scatter, weight
