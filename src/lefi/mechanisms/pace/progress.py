"""Where training stands, and how this job's data compares with that of the learning curve.

k  what a thousand samples of these clients are worth in thousands of the curve's       m_k  accuracy if it were k
Each k of a grid has its own m_k, moved on round by round; what was measured makes some k likelier than others. The
level goes on from the last one by the curve, and is pulled towards each measurement.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.models import Learning

WORTH = np.geomspace(0.25, 4.0, 9)  # k
DOUBT = np.log(2.0)  # standard deviation of ln k before anything is measured
ERROR = 0.03  # of accuracy, fit and test together: measured curves miss by about that
FADE = 0.95  # weight of a round's error against the one after it
PULL = 0.4  # of a measurement on the level: test accuracy jumps by 0.01 to 0.05 from round to round


class Progress:
    """The level of accuracy, and k."""

    def __init__(self, curve: Learning) -> None:
        self.curve = curve
        self.level = float(curve.floor)
        self.tracks = np.full(WORTH.size, self.level)
        self.errors = np.zeros(WORTH.size)

    def tell(self, sizes: FloatArray, iid: FloatArray, accuracy: float) -> None:
        """A round of these clients; accuracy is NaN where nobody measured it."""
        if sizes.sum() > 0:
            moved = [self.curve.next(float(m), k * sizes, iid) for m, k in zip(self.tracks, WORTH, strict=True)]
            self.tracks = np.array(moved)
            self.level = self.curve.next(self.level, self.worth() * sizes, iid)
        if accuracy == accuracy:
            self.errors = FADE * self.errors + (self.tracks - accuracy) ** 2
            self.level = float(np.clip(self.level + PULL * (accuracy - self.level), 0.0, 1.0))

    def worth(self, sure: float = 0.0) -> float:
        """k, or the one that is so many standard deviations above."""
        z = np.log(WORTH)
        likely = np.exp(-0.5 * ((self.errors - self.errors.min()) / ERROR**2 + (z / DOUBT) ** 2))
        likely /= likely.sum()
        mean = float(likely @ z)
        return float(np.exp(mean + sure * np.sqrt(likely @ (z - mean) ** 2)))

    def rounds_to(self, target: float, sizes: FloatArray, iid: float) -> float:
        """Further rounds of these clients until the target; infinite where they never get there."""
        whole = self.curve.rounds_to(target, sizes, iid)
        return max(whole - self.curve.rounds_to(self.level, sizes, iid), 0.0) if np.isfinite(whole) else np.inf

    def after(self, rounds: float, sizes: FloatArray, iid: float) -> float:
        """The level after so many further rounds of these clients."""
        been = self.curve.rounds_to(self.level, sizes, iid)
        if not np.isfinite(been):  # such rounds do not even lead to where it stands
            return self.level
        return max(float(self.curve.joint(sizes, iid, been + rounds)), self.level)
