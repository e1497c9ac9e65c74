"""What clients have in common, learned from about VOTERS of them: kinds, locations, noise, drift, jumps."""

import numpy as np
from scipy.optimize import nnls

from lefi.arrays import TINY, FloatArray
from lefi.compiler import allocating
from lefi.mechanisms.waterfill.belief import believe
from lefi.mechanisms.waterfill.curves import IDLE, KINDS, STEP, Points, blank, wish
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers, Heard
from lefi.mechanisms.waterfill.plain import survey
from lefi.mechanisms.waterfill.shared import BROAD, PRICES, ROUGH, SUMS, WIDE, Shared
from lefi.messages import Terms

VOTERS = 256  # clients that are asked, about; all of a smaller fleet
VAGUE = 2.0  # deviation of locations before anything is known, in log money
FEW = 0.1  # clients, or answers, that a first guess counts for
RATIONAL = 4.0  # clients without a cap, and with one, that count as seen at first
GUESSED = np.full(KINDS, FEW)
GUESSED[[0, 1, STEP, IDLE]] = RATIONAL, RATIONAL, 2, 0.5
LATE = 3  # rounds before drift is believed; answers before a client tells of others
SURPRISED = 0.2  # share of known clients whose answers surprise in a round, from which prices have jumped
ORDERLY = 10.0  # a tenth of the squared steps between answers are falls: then they are as noisy as they seem


class Fleet:
    """The fleet's share of the belief."""

    def __init__(self, terms: Terms, each: float) -> None:
        self.terms, start = terms, float(np.log(each))  # each: equal share of a budget, USD
        self.first = np.array([start - terms.size_high / 2, start + 1])  # where the first offer buys some
        self.calm = False  # few clients surprised it last
        self.ids, self.beliefs = np.empty(0, dtype=np.int64), blank(0)  # what was believed last of whom
        limits = terms.size_low, terms.size_high, EXACT * terms.size_high
        self.shared = Shared(*limits, ROUGH, 0.0, 0.0, 0.0, self.first, np.full(2, VAGUE), GUESSED / GUESSED.sum(), 1.0)

    def watch(self, voters: Heard, round: int) -> None:
        """Notice a change of regime: many clients that were known answer otherwise than their likeliest curve would."""
        ids, _, rate, answers = voters
        new = (answers.when[:, 0] == round) & ~np.isnan(answers.y[:, LATE - 1]) & np.isin(ids, self.ids)
        if new.sum() > 2:
            size = expected(answers[new], rate[new], self.beliefs[np.searchsorted(self.ids, ids[new])])[:, 0]
            off = np.abs(answers.y[new, 0] - size)
            share = float((off > WIDE * self.shared.rho * size + ROUGH * self.shared.high).mean())
            if share > SURPRISED and self.calm:
                self.shared = self.shared._replace(jumped=float(round))
            self.calm = share < SURPRISED / 2
        self.shared = self.shared._replace(now=float(round))

    def learn(self, voters: Heard) -> None:
        """Take in the answers of some clients."""
        self.ids, _, rate, answers = voters
        self.beliefs = points = believe(answers, rate, self.shared)
        # Who never delivered follows what is believed of the others: taken for evidence, that feeds on itself.
        delivered = (answers.y > self.shared.floor + self.shared.exact).any(axis=1)
        mean, doubt = self._locations(points[delivered], rate[delivered])
        rho, drift = self._noise(answers, rate, points)
        telling = points[delivered | ~np.isnan(answers.y[:, LATE])]
        seen = GUESSED + np.bincount(telling.kind.ravel(), telling.chance.ravel(), KINDS)
        learned = self.shared._replace(mean=mean, doubt=doubt, rho=rho, drift=drift, chances=seen / seen.sum())
        known = survey(answers, np.arange(rate.size), rate, learned).rises
        self.shared = learned._replace(unknown=1 - known.sum() / (known.size + 1))

    def _locations(self, points: Points, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and deviation of log prices, and of log money."""
        mean, doubt, kind = *np.empty((2, 2)), points.kind
        for group, those, shift in ((PRICES, kind < 2, np.log(rate)), (SUMS, (kind >= 2) & (kind < IDLE), 0 * rate)):
            mine, place = points.chance * those, points.b + shift[:, None]
            own = mine.sum(axis=1)
            m = (mine * place).sum(axis=1) / np.maximum(own, TINY)
            v = (mine * (place - m[:, None]) ** 2).sum(axis=1) / np.maximum(own, TINY)
            own = own * (v < BROAD)
            mean[group] = (FEW * self.first[group] + (own * m).sum()) / (FEW + own.sum())
            spread = (FEW * VAGUE**2 + (own * (v + (m - mean[group]) ** 2)).sum()) / (FEW + own.sum())
            doubt[group] = np.clip(np.sqrt(spread), np.sqrt(EXACT), VAGUE)
        return mean, doubt

    def _noise(self, answers: Answers, rate: FloatArray, points: Points) -> tuple[float, float]:
        """Squared residuals against the likeliest curve, regressed on a constant (noise) and on age (drift)."""
        shared, y = self.shared, answers.y
        size = expected(answers, rate, points)
        with np.errstate(all="ignore"):
            at_top = size >= np.minimum(answers.limit, points.cap[:, :1]) * (1 - EXACT)
            use = (y > shared.floor) & (size > shared.floor) & ~np.isnan(y[:, 1:2])  # one alone is always on the curve
            use &= ~(at_top & (y >= size * (1 - SAME))) & (answers.when >= shared.jumped)
            free = 1 - 1 / (~np.isnan(y)).sum(axis=1, keepdims=True)  # the curve was fitted to the answers
            off = np.maximum(np.abs(y - size) - shared.exact, 0.0) / np.maximum(size, y) / np.sqrt(free)
            moves = np.where(at_top, 0.0, np.where(points.kind[:, :1] < 2, 1 / (rate[:, None] * size), 1.0))
        if not use.any():
            return shared.rho, shared.drift
        left, old = np.minimum(off[use] ** 2, 1), (shared.now - answers.when[use]) * moves[use] ** 2
        weight = 1 / (shared.rho**2 + shared.drift * old + EXACT**2)
        (noise, drift), _ = nnls(np.stack([weight, weight * old], axis=1), weight * left)
        shown = disorder(answers, WIDE * np.sqrt(noise))
        rho, moving = np.clip(np.sqrt(noise * shown), EXACT, 1), shared.now > LATE
        return float(rho), float(min(drift * shown, 1)) * moving


def disorder(answers: Answers, close: float) -> float:
    """How far answers are out of order, up to 1: noise puts some out of order, a curve of no family puts none.

    Of two offers to a client next to each other in weight, the larger one brings no less, unless its limit is lower.
    Falls are held against rises of the same order.
    """
    order = np.argsort(answers.x, axis=1, kind="stable")
    limit, y = (np.take_along_axis(part, order, axis=1) for part in (answers.limit, answers.y))
    with np.errstate(all="ignore"):
        step = np.diff(y, axis=1) / np.maximum(y[:, 1:], y[:, :-1])
        free = y < limit * (1 - SAME)  # else the limit cut it off
        step = step[(np.abs(step) < close) & (np.diff(limit, axis=1) >= 0) & free[:, 1:] & free[:, :-1]]
    falls, rises = float((step[step < 0] ** 2).sum()), float((step[step > 0] ** 2).sum())
    return min(1.0, ORDERLY * falls / (falls + rises + EXACT**2))


@allocating
def expected(answers: Answers, rate: FloatArray, beliefs: Points) -> FloatArray:
    """What each client should have answered on its likeliest curve (n, SLOTS)."""
    size = np.empty(answers.shape)
    for i in range(rate.size):
        for j in range(SLOTS):
            size[i, j] = wish(beliefs[i, 0], answers[i, j].x, answers[i, j].limit, rate[i])
    return size
