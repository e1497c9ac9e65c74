"""What clients have in common, learned from about VOTERS of them: kinds, locations, caps, noise, drift, jumps."""

from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.waterfill.curves import (
    AT,
    CAP,
    CAPPED,
    CHANCE,
    EXPONENT,
    FIXED,
    FIXED_COST,
    HINGES,
    IDLE,
    KIND,
    KINDS,
    LEVEL,
    OPEN,
    RISING,
    STAIRS,
    STEP,
    TINY,
    B,
)
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, WHEN, Answers, X, Y
from lefi.mechanisms.waterfill.narrowing import fit_all
from lefi.mechanisms.waterfill.plain import told
from lefi.mechanisms.waterfill.points import COSTS, EXPONENTS, GAPS, GROUP, POINTS, ROUGH, WIDE, Shared, blank
from lefi.mechanisms.waterfill.review import explain_all, surprises

VOTERS = 256  # clients that are asked, about; all of a smaller fleet
CHANCES = np.array([0.25, 0.4, 0.03, 0.04, 0.05, 0.05, 0.1, 0.001, 0.04])  # of the kinds, before anything is known
SHAPES = np.array([0.2, 0.1, 0.4, 0.1, 0.1, 0.1])  # chances of the exponents, before anything is known
FIRST, EACH = 2.0, 0.2  # clients that these guesses count for, and more per client of the fleet
VAGUE = 4.0  # variance of a location before anything is known, in log money
BROAD = 0.3  # variance of a client's location from which it teaches nothing about others
FEW = 0.1  # clients, or answers, that a first guess counts for
LATE = 3  # rounds before drift is believed and in which learning is repeated; answers before a client tells of others
OUTLIER = 4.0  # times the usual squared residual: who is off by more follows a curve of its own
SURPRISED = 0.3  # share of known clients whose answers surprise in a round, from which prices have jumped
ORDERLY = 10.0  # a tenth of the squared steps between answers are falls: then they are as noisy as they seem


class Votes(NamedTuple):
    """Clients from whom the fleet learns, by id."""

    ids: IntArray
    rate: FloatArray
    answers: Answers


class Fleet:
    """The fleet's share of the belief."""

    def __init__(self, floor: float, high: float, start: float) -> None:
        self.first = np.array([start - high / 2, start + 1, 0.0, 1.0])  # where the first offer buys some; gaps: e times
        self.calm = False  # few clients surprised it last
        self.ids, self.beliefs = np.empty(0, dtype=np.int64), blank(0)  # what was believed last of whom
        guess = CHANCES.copy(), SHAPES.copy(), np.full(POINTS, high)
        self.shared = Shared(floor, high, ROUGH, 0.0, 0.0, 0.0, self.first.copy(), np.full(GAPS + 1, VAGUE), *guess)

    def hear(self, votes: Votes, round: int) -> None:
        """Take in what a round showed."""
        self.watch(votes, round)
        self.learn(votes)

    def watch(self, votes: Votes, round: int) -> None:
        """Notice a change of regime: many clients that were known answer as no likely curve of theirs would."""
        ids, rate, answers = votes
        new = (answers[:, WHEN, 0] == round) & ~np.isnan(answers[:, Y, LATE - 1]) & np.isin(ids, self.ids)
        if new.sum() > 2:
            beliefs = self.beliefs[np.searchsorted(self.ids, ids[new])]
            share = surprises(answers[new], rate[new], self.shared, beliefs) / new.sum()
            if share > SURPRISED and self.calm:
                self.shared = self.shared._replace(jumped=float(round))
            self.calm = share < SURPRISED / 2
        self.shared = self.shared._replace(now=float(round))

    def learn(self, votes: Votes) -> None:
        """Take in the answers of some clients."""
        self.ids, rate, answers = votes
        for _ in range(2 if self.shared.now <= LATE else 1):
            self.beliefs = points = believe(answers, rate, self.shared)
            # Who never delivered follows what is believed of the others: taken for evidence, that feeds on itself.
            delivered = (answers[:, Y] > self.shared.floor + EXACT * self.shared.high).any(axis=1)
            mean, var = self._locations(points[delivered], rate[delivered])
            rho, drift = self._noise(answers, rate, points)
            self.shared = self.shared._replace(mean=mean, var=var, rho=rho, drift=drift, caps=self._caps(points))
            telling = points[delivered | ~np.isnan(answers[:, Y, LATE])]
            self.shared = self.shared._replace(chances=chances(telling), exponents=exponents(telling))

    def _locations(self, points: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of locations by group, and of log fixed costs."""
        mean, var = np.empty((2, GAPS + 1))
        kind, chance = points[:, :, KIND].astype(int), points[:, :, CHANCE]
        for group in range(GAPS + 1):
            place = points[:, :, B] + (np.log(rate)[:, None] if group == 0 else 0.0)
            mine = chance * ((GROUP[kind] == group) & (kind < IDLE))
            if group == COSTS:
                place = np.log(np.maximum(points[:, :, FIXED], SAME))
                mine = chance * ((kind >= FIXED_COST) & (kind < HINGES))
            if group == GAPS:
                place, mine = points[:, :, AT] - points[:, :, AT + 1], chance * (kind == STAIRS)
            own = mine.sum(axis=1)
            m = (mine * place).sum(axis=1) / np.maximum(own, TINY)
            v = (mine * (place - m[:, None]) ** 2).sum(axis=1) / np.maximum(own, TINY)
            own = own * (v < BROAD)
            mean[group] = (FEW * self.first[group] + (own * m).sum()) / (FEW + own.sum())
            spread = (FEW * VAGUE + (own * (v + (m - mean[group]) ** 2)).sum()) / (FEW + own.sum())
            var[group] = np.clip(spread, EXACT, VAGUE)
        mean[COSTS] = min(mean[COSTS], np.log(self.shared.high))  # whoever has more to pay is a step, not shy
        return mean, var

    def _caps(self, points: FloatArray) -> FloatArray:
        """Quantiles of the caps of clients whose cap has shown; size_high for those on the rise."""
        kind, cap = points[:, 0, KIND].astype(int), points[:, 0, CAP]
        shown = ((kind % 2 == 1) & (kind < RISING)) | (kind == STEP)
        whole = 1 + int(((kind % 2 == 0) & (kind < RISING)).sum())
        pool = np.append(cap[shown], np.full(whole, self.shared.high))
        return np.asarray(np.quantile(pool, (2 * np.arange(POINTS) + 1) / (2 * POINTS)))

    def _noise(self, answers: Answers, rate: FloatArray, points: FloatArray) -> tuple[float, float]:
        """Squared residuals against the likeliest curve, regressed on size (noise) and on age (drift).

        On the rise they are held against that of the newest answer there, which takes out the location as fitted.
        """
        shared, kind = self.shared, points[:, :1, KIND]
        size, top = np.empty((2, rate.size, answers.shape[2]))
        explain_all(answers, rate, points, size, top)
        y, age = answers[:, Y].astype(np.float64), shared.now - answers[:, WHEN].astype(np.float64)
        count = (~np.isnan(y)).sum(axis=1)
        with np.errstate(all="ignore"):
            at_top = size >= top * (1 - EXACT)
            use = (size > shared.floor) & (y > shared.floor) & (count > 1)[:, None] & (kind < IDLE)
            use &= ~(at_top & (y >= size * (1 - SAME)))
            rise = use & ~at_top
            newest = rise.argmax(axis=1)[:, None]
            off0, size0, age0 = (np.take_along_axis(part, newest, axis=1) for part in (y - size, size, age))
            scale = size**2 + np.where(rise, size0**2, 0.0)
            use &= ~rise | (np.arange(answers.shape[2]) != newest)
            free = (count / np.maximum(count - 1, 1))[:, None]  # the curve was fitted to the answers
            left = np.where(use, np.minimum((y - size - np.where(rise, off0, 0.0)) ** 2 / scale, 1) * free, 0.0)
            moves = np.where(kind < HINGES, 1 / rate[:, None] ** 2, size * size0)
            old = np.where(use & rise, (age - age0) * moves / scale, 0.0)
            own = left.sum(axis=1) / np.maximum(use.sum(axis=1), 1)
        usual = float(np.median(own[use.any(axis=1)])) if use.any() else 0.0
        use &= (own <= OUTLIER * usual)[:, None] & (shared.now - age >= shared.jumped)
        if not use.any():
            return shared.rho, shared.drift
        noise, drift = regress(left[use], old[use], shared)
        shown = disorder(answers, WIDE * np.sqrt(noise))
        trust = FEW / (FEW + ((y > shared.floor) & (count > 1)[:, None]).sum())
        rho = float(np.clip(np.sqrt(trust * ROUGH**2 + (1 - trust) * noise * shown), EXACT, 1))
        return rho, float(np.clip(drift * shown, 0, 1)) if shared.now > LATE else 0.0


def believe(answers: Answers, rate: FloatArray, shared: Shared) -> FloatArray:
    """What is believed of clients with these answers; of a plain one whose location is known, one curve."""
    plain, beliefs = told(answers, rate, shared), blank(rate.size)
    fit_all(answers, rate, shared, plain.rises, beliefs)
    beliefs[plain.rises] = 0.0
    beliefs[plain.rises, :, KIND] = IDLE
    kind, one = np.where(plain.cap < shared.high, CAPPED, OPEN), np.ones(rate.size)
    beliefs[plain.rises, 0, :LEVEL] = np.stack([kind, plain.b, 0 * one, one, plain.cap, one], axis=1)[plain.rises]
    return beliefs


def chances(points: FloatArray) -> FloatArray:
    """Of the kinds."""
    guess, kind = FIRST + EACH * len(points), points[:, :, KIND].astype(int)
    share = np.bincount(kind.ravel(), points[:, :, CHANCE].ravel(), KINDS)
    return np.asarray((guess * CHANCES + share) / (guess + share.sum()))


def exponents(points: FloatArray) -> FloatArray:
    """Chances of the exponents among power clients."""
    guess, kind = FIRST + EACH * len(points), points[:, :, KIND]
    mine = points[:, :, CHANCE] * ((kind >= HINGES) & (kind < RISING))
    share = np.array([(mine * (points[:, :, EXPONENT] == e)).sum() for e in EXPONENTS])
    return np.asarray((guess * SHAPES + share) / (guess + share.sum()))


def regress(left: FloatArray, old: FloatArray, shared: Shared) -> tuple[float, float]:
    """Noise and drift, neither negative: left = noise + drift old, by weighted least squares.

    Drift counts from two standard errors on: noise alone shows some.
    """
    weight = 1 / (shared.rho**2 + shared.drift * old + EXACT**2) ** 2
    a, b, c = float(weight.sum()), float((weight * old).sum()), float((weight * old * old).sum())
    p, q = float((weight * left).sum()), float((weight * left * old).sum())
    if c * EXACT**2 <= 0 or a * c - b * b <= 1e-12 * a * c:
        return p / a, 0.0
    noise, drift = (p * c - q * b) / (a * c - b * b), (a * q - b * p) / (a * c - b * b)
    if drift < 2 * np.sqrt(2 * a / (a * c - b * b)):  # the square of a normal deviation varies by twice its square
        return p / a, 0.0
    return (0.0, q / c) if noise < 0 else (noise, drift)


def disorder(answers: Answers, close: float) -> float:
    """How far answers are out of order, up to 1: noise puts some out of order, a curve of no family puts none.

    Of two offers to a client next to each other in weight, the larger one brings no less, unless its limit is lower.
    Falls are held against rises of the same order.
    """
    order = np.argsort(answers[:, X], axis=1, kind="stable")
    limit, y = (np.take_along_axis(answers[:, part].astype(np.float64), order, axis=1) for part in (LIMIT, Y))
    with np.errstate(all="ignore"):
        step = np.diff(y, axis=1) / np.maximum(y[:, 1:], y[:, :-1])
        free = y < limit * (1 - SAME)  # else the limit cut it off
        step = step[(np.abs(step) < close) & (np.diff(limit, axis=1) >= 0) & free[:, 1:] & free[:, :-1]]
    falls, rises = float((step[step < 0] ** 2).sum()), float((step[step > 0] ** 2).sum())
    return min(1.0, ORDERLY * falls / (falls + rises + EXACT**2))
