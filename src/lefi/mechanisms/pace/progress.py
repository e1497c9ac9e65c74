"""Where training stands, and how this job's data compares with that of the learning curve.

k  what a thousand samples of these clients are worth in thousands of the curve's
j  how many times as much data these clients seem to have: more of it ends higher, and no sooner
Each pair of a grid is a curve of its own, whose accuracy is moved on round by round and held near what was measured:
pairs are judged by how fast accuracy has lately risen. The level goes on from the last one by the likely curve, and is
pulled towards each measurement. j shows last, and differs most: who owns much and delivers little of it delivers more
kinds of samples than the curve's clients, who own what they deliver.
"""

from dataclasses import replace

import numpy as np

from lefi.arrays import FloatArray
from lefi.models import Learning

WORTH = np.geomspace(0.25, 4.0, 9)  # k
WIDER = np.geomspace(0.5, 4.0, 4)  # j
DOUBT = np.log(2.0)  # standard deviation of ln k and of ln j before anything is measured
ERROR = 0.03  # of accuracy, fit and test together: measured curves miss by about that
FADE = 0.95  # weight of a round's error against the one after it
HOLD = 0.1  # the same on the accuracy of each pair: errors of the first rounds are forgotten
PULL = 0.4  # of a measurement on the level: test accuracy jumps by 0.01 to 0.05 from round to round


class Progress:
    """The level of accuracy, k and j."""

    def __init__(self, curve: Learning) -> None:
        self.curve = curve
        self.level = float(curve.floor)
        self.pairs = np.log([(k, j) for k in WORTH for j in WIDER])
        self.curves = [self._with(*pair) for pair in self.pairs]
        self.tracks = np.full(len(self.curves), self.level)
        self.errors = np.zeros(len(self.curves))

    def tell(self, sizes: FloatArray, iid: FloatArray, accuracy: float) -> None:
        """A round of these clients; accuracy is NaN where nobody measured it."""
        if sizes.sum() > 0:
            moved = [curve.next(float(m), sizes, iid) for m, curve in zip(self.tracks, self.curves, strict=True)]
            self.tracks = np.array(moved)
            self.level = self.likely().next(self.level, sizes, iid)
        if accuracy == accuracy:
            self.errors = FADE * self.errors + (self.tracks - accuracy) ** 2
            self.tracks = np.clip(self.tracks + HOLD * (accuracy - self.tracks), 0.0, 1.0)
            self.level = float(np.clip(self.level + PULL * (accuracy - self.level), 0.0, 1.0))

    def likely(self, worth: float = 0.0, wider: float = 0.0) -> Learning:
        """The curve of this job, with k and j so many standard deviations above what is likely."""
        mean, spread = self._belief()
        return self._with(*(mean + spread * [worth, wider]))

    def worth(self, sure: float = 0.0) -> float:
        """k, or the one that is so many standard deviations above."""
        mean, spread = self._belief()
        return float(np.exp(mean[0] + sure * spread[0]))

    def _belief(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of ln k and ln j."""
        doubt = ((self.pairs / DOUBT) ** 2).sum(axis=1)
        weight = np.exp(-0.5 * ((self.errors - self.errors.min()) / ERROR**2 + doubt))
        weight /= weight.sum()
        mean = weight @ self.pairs
        return mean, np.sqrt(weight @ (self.pairs - mean) ** 2)

    def _with(self, k: float, j: float) -> Learning:
        """The curve for these logarithms of k and j."""
        curve = self.curve
        slow = curve.slow * float(np.exp(-curve.pull * k))
        return replace(curve, slow=slow, half=curve.half * float(np.exp(-k - j)), others=())

    def rounds_to(self, target: float, sizes: FloatArray, iid: float, curve: Learning) -> float:
        """Further rounds of these clients until the target; infinite where they never get there."""
        whole = curve.rounds_to(target, sizes, iid)
        return max(whole - curve.rounds_to(self.level, sizes, iid), 0.0) if np.isfinite(whole) else np.inf

    def after(self, rounds: float, sizes: FloatArray, iid: float, curve: Learning) -> float:
        """The level after so many further rounds of these clients."""
        been = curve.rounds_to(self.level, sizes, iid)
        if not np.isfinite(been):  # such rounds do not even lead to where it stands
            return self.level
        return max(float(curve.joint(sizes, iid, been + rounds)), self.level)
