"""What the server believes about every client: a function of its last answers and of what the fleet has in common.

n clients, sorted by id, each with its last SLOTS answers. The fleet's share of the knowledge (prior of locations,
chances of the kinds, noise) is learned from all clients, so that a newcomer starts from it (empirical Bayes).
"""

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.waterfill.curves import FITS, NEITHER, SILENT, SURPRISES, blank_view
from lefi.mechanisms.waterfill.facts import Book, Fleet, Known, Said
from lefi.mechanisms.waterfill.learning import FEW, FIRST, add_up, fit_all, hear, recall, relative_noise
from lefi.mechanisms.waterfill.memory import SLOTS, blank, narrowed, widened
from lefi.mechanisms.waterfill.steps import more_above, pooled_caps
from lefi.mechanisms.waterfill.tracks import COLUMNS, HINGES, KIND, KINDS, TRACKS
from lefi.mechanisms.waterfill.tries import LASTING, patience
from lefi.threads import in_parts

CHANCES = np.array([0.35, 0.35, 0.05, 0.05, 0.03, 0.03, 0.10, 0.04, 0.02])  # of the kinds, before anything is known
GROUPS = ([0, 1], [2, 3], [4, 5], [6], [7])  # kinds that share a prior of their locations
GROUP_OF = np.array([next((g for g, kinds in enumerate(GROUPS) if kind in kinds), -1) for kind in range(KINDS)])
NOISE = 0.03  # relative noise of an answer, before anything is known
TRUST = 0.1  # answers that this first guess counts for
VAGUE = 2.0  # standard deviation of a location before anything is known, in log money
BROAD = 0.3  # variance of a location from which a track teaches the fleet nothing
LEAST_SPREAD = 0.05  # variance of locations among clients that seem all alike
FLOOR = 0.2  # clients that the first guess of the chances counts for, per client of the fleet
FORGET = 50  # rounds without a client after which it is forgotten: at 5% churn a round costs what it did at first
COLUMNS_OF_CLIENTS = ("count", "heard", "tracks", "noise", "judged", "calm", "offer", "limit", "full", "here")
VOTERS, EARLY = 4096, 512  # clients that are asked what the fleet has in common, about; early on, before all others
TELLERS = 3  # known clients that must answer, at least, to tell a jump of all prices from one of their own
TELLING_SHARE = 0.25  # share of the clients that answer that must be rational and known for this
SURPRISED, STEADY = 0.3, 0.1  # share of their answers that surprise, after a jump at least, in the round before at most
PASSES, TELLING = 3, 20.0  # fits of them, at most, while the noise falls; answers that must have shown it
OTHERS, SOME = slice(2, 6), 0.05  # rising kinds that are not rational; chance from which all clients are suspects


class Belief:
    """Answers and tracks of clients that come, go and miss rounds."""

    def __init__(self, start: float, floor: float, high: float) -> None:
        self.floor, self.high = floor, high
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.rate: FloatArray = np.empty(0)
        self.answers = blank(0)  # log weight, limit, size; oldest first
        self.count: IntArray = np.empty(0, dtype=np.int64)  # of them
        self.heard: IntArray = np.empty(0, dtype=np.int64)  # answers in all
        self.tracks: FloatArray = np.empty((0, TRACKS, COLUMNS))
        self.noise: FloatArray = np.empty(0)  # own estimate of the squared relative noise
        self.judged: FloatArray = np.empty(0)  # answers behind it
        self.calm: BoolArray = np.empty(0, dtype=bool)  # quiet, bought, and its last answer was as expected
        self.offer: FloatArray = np.empty(0)  # log weight that was answered last
        self.limit: FloatArray = np.empty(0)  # its limit
        self.full: FloatArray = np.empty(0)  # size that full delivery is taken to be
        self.here: IntArray = np.empty(0, dtype=np.int64)  # round in which the client was in the roster last
        self.gone = 0, 0  # clients that were forgotten, answers that they had given
        self.round = 0
        self.life = LASTING  # rounds that clients stay
        self.steady = False  # few answers surprised in the last round
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
        at, found = self._rows(ids)
        n, all_rows = at.size, bool(found.all()) and at.size == self.ids.size
        noise = np.full(n, relative_noise(0.0, 0.0, self.fleet_noise))
        tracks = self.tracks if all_rows else np.empty((n, TRACKS, COLUMNS))
        columns = np.full(n, self.high), np.full(n, np.nan), np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool)
        known, book, turn = Known(tracks, rate, noise, *columns), self._book(), self.round + 3  # not with the fit

        def remember(p: slice) -> None:
            recall(at[p], found[p], book, turn, self.fleet_noise, not all_rows, known.take(p))

        in_parts(n, remember)
        new = ~found
        if new.any():
            tracks[new] = self._unknown(rate[new])
        patient, low = patience(tracks, later, np.where(found, self.heard[at], 0), noise, self.life)
        return known._replace(patience=patient, low=low)

    def held(self, ids: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Log weight and limit of the last offer that each of these clients answered, and whether it is calm."""
        at, known = self._rows(ids)
        return self.offer[at], self.limit[at], self.calm[at] & known

    def _book(self) -> Book:
        columns = self.noise, self.judged, self.full, self.offer, self.limit, self.calm
        return Book(self.ids, self.tracks, self.answers, self.count, self.heard, self.rate, *columns)

    def _fleet(self) -> Fleet:
        common = self.centre, self.spread, self.chances, self.hard, self.more, self.caps
        return Fleet(*common, self.fleet_noise, self.floor, self.high)

    def _unknown(self, rate: FloatArray) -> FloatArray:
        """Tracks of clients that have not answered yet."""
        n = rate.size
        tracks, none, zero, no = np.empty((n, TRACKS, COLUMNS)), np.zeros(n, dtype=np.int64), np.zeros(n), rate < 0
        noise = zero.copy(), zero.copy(), zero.copy()
        book = Book(none, tracks, blank(n), none, none, rate, *noise, zero, zero, no)
        self._fit(np.arange(n), book, no)
        return tracks

    def tell(self, ids: IntArray, rate: FloatArray, x: FloatArray, y: FloatArray, limit: FloatArray) -> None:
        """Learn from one answer per client (ids sorted); where y is NaN there is none."""
        self._admit(ids, rate)
        at, _ = self._rows(ids)
        voter = np.zeros(at.size, dtype=bool)
        voter[:: 1 + at.size // VOTERS] = True
        self.round += 1
        book, fleet, many = self._book(), self._fleet(), at.size > VOTERS
        said = Said(x, limit, y, np.zeros(at.size, dtype=np.int64), np.zeros(at.size, dtype=bool))

        def listen(p: slice) -> None:
            hear(at[p], book, said.part(p), fleet, self.round, many, blank_view())

        in_parts(at.size, listen)
        if self._jumped(at, said.told):
            self._restart(at[said.told != SILENT])
            said.due[:], said.told[:] = True, NEITHER
        self.here[at] = self.round
        left, given = self.gone[0] + self.heard.size - at.size, self.gone[1] + int(self.heard.sum())
        self.life = (LASTING + given) / (1 + left)
        fits = said.told >= FITS
        if self.heard[at].max(initial=0) < FEW:  # noise and prior are new: learn them before all others use them
            some = np.arange(0, at.size, 1 + at.size // EARLY)
            for _ in range(PASSES):  # while there turns out to be less noise: curves of no family would show ever more
                self._fit(at[some], book, self._brief(at[some], fits[some], some >= 0))
                if self._judge(at[some]):
                    break
            self._share(at[some])
        self._fit(at[said.due], book, self._brief(at[said.due], fits[said.due], voter[said.due]))
        self._share(at[voter])
        self._forget()

    def _jumped(self, at: IntArray, told: IntArray) -> bool:
        """Whether prices have changed at once: many rational clients that were known answer as they would not have.

        Others may surprise because their curve is of no family.
        """
        rational = HINGES[self.tracks[at, 0, KIND].astype(np.int64)]
        fit, off = (int((rational & (told == what)).sum()) for what in (FITS, SURPRISES))
        telling = fit + off >= max(TELLERS, TELLING_SHARE * int((told != SILENT).sum()))
        jumped = telling and self.steady and off > SURPRISED * (fit + off)
        self.steady = telling and off < STEADY * (fit + off)
        return jumped

    def _restart(self, at: IntArray) -> None:
        """Prices have jumped: of clients that answered only that answer counts, and who is away is forgotten."""
        self.answers[at, :, 0] = self.answers[at, :, self.count[at] - 1]
        self.gone = self.gone[0], self.gone[1] + int(self.heard.sum()) - at.size
        self.count[:], self.heard[:], self.calm[:] = 0, 0, False
        self.count[at] = self.heard[at] = 1
        self.here[:] = self.round - FORGET - 1

    def _brief(self, at: IntArray, fits: BoolArray, voter: BoolArray) -> BoolArray:
        """Who is fitted without the families that are neither rational nor all or nothing.

        Who answered as a rational client should (`fits`), and all but the voters before they have answered often.
        """
        until = 2 if self.chances[OTHERS].sum() > SOME else FIRST
        rational = HINGES[self.tracks[at, 0, KIND].astype(np.int64)]
        return np.asarray((fits & rational) | ((self.heard[at] < until) & ~voter))

    def _fit(self, at: IntArray, book: Book, brief: BoolArray) -> None:
        """Fit clients under what the fleet has in common."""
        fleet = self._fleet()

        def fit(p: slice) -> None:
            fit_all(at[p], book, brief[p], fleet, np.empty((6, SLOTS)), np.empty((TRACKS, COLUMNS)))

        in_parts(at.size, fit)

    def _judge(self, at: IntArray) -> bool:
        """Learn the noise of the fleet; whether that is it: not much less than before, or few answers have shown it."""
        judged, before, total = at[self.judged[at] > 0.3], self.fleet_noise, 0.0
        if judged.size:
            total = float(self.judged[judged].sum())
            self.fleet_noise = (TRUST * NOISE**2 + total * float(np.median(self.noise[judged]))) / (TRUST + total)
        return total < TELLING or self.fleet_noise > 0.5 * before

    def _share(self, at: IntArray) -> None:
        """Learn what clients have in common: noise, hard caps, kinds and locations."""
        self._judge(at)
        repeats = float((self.full[at] < (1 - 1e-9) * self.high).sum())
        self.hard = repeats / (1 + repeats)
        self.more = more_above(at, self._book())
        self.caps = pooled_caps(self.tracks[at, 0], self.high)
        self._pool(at)

    def _pool(self, at: IntArray) -> None:
        """Chances of the kinds and prior of their locations."""
        n, share, sums = at.size, np.zeros(KINDS), np.zeros((len(GROUPS), 5))
        add_up(at, self._book(), GROUP_OF, BROAD, share, sums)
        self.chances = ((2 + FLOOR * n) * CHANCES + share) / (2 + FLOOR * n + n)
        for group, (total, location, square, variance, own) in zip(GROUPS, sums, strict=True):
            doubt = variance + max(square - own, 0.0)
            self._locate(group, float(total), float(location), float(variance + square), float(doubt))

    def _locate(self, group: list[int], total: float, location: float, squares: float, doubt: float) -> None:
        """A step of expectation-maximisation for the prior of locations, longer where little is known (Aitken).

        Sums by probability over clients: of 1, of the location, of its square (expected), of its variance.
        """
        centre = (0.1 * self.first[group[0]] + location) / (0.1 + total)
        around = squares - 2 * centre * location + centre * centre * total
        spread = (0.3 * VAGUE**2 + around) / (0.3 + total)
        told = max(1 - doubt / max(total, 1e-300) / spread, 0.6)  # share of this that is the clients', not the prior's
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
        self.answers = widened(self.answers, into, self.count)
        for name in COLUMNS_OF_CLIENTS:
            old = getattr(self, name)
            first = len(old) == 0  # then there is nothing to move, and untouched memory costs nothing
            setattr(
                self, name, np.zeros((into.size, *old.shape[1:]), old.dtype) if first else np.insert(old, into, 0, 0)
            )

    def _forget(self) -> None:
        """Drop the rows of clients that left long ago; what the fleet learned from them stays."""
        stay = self.round - self.here <= FORGET
        if stay.all():
            return
        self.gone = self.gone[0] + int((~stay).sum()), self.gone[1] + int(self.heard[~stay].sum())
        self.answers = narrowed(self.answers, stay, self.count)
        for name in ("ids", "rate", *COLUMNS_OF_CLIENTS):
            setattr(self, name, getattr(self, name)[stay])


def first_guess(start: float, high: float) -> FloatArray:
    """Locations at which the first offer, log weight `start`, buys half of size_high (rate 1 on a hinge)."""
    half = 0.5 * high
    return start - np.array([half, half, np.log(half), np.log(half), 2 * np.log(half), 2 * np.log(half), 1.0, 0.0, 0.0])
