"""What `contract` may assume of computing: work that grows with the square of the size, and time that counts.

After Kang et al. (2019): a type pays kappa f^2 for computing at frequency f, and the server values omega ln(T_max - T).
All have the same deadline, so f goes with D. The menu is solved in work instead of size, where cost is linear again.
W(D)  work: D, or D^2 / size_high (both are size_high there)      T / T_max = D / size_high: the largest size takes all
value of D to the server: A(D) + omega ln(1 - LAST D / size_high)
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, Floats
from lefi.models import AccuracyModel

LAST = 0.99  # share of the deadline that the largest size takes: at 1 no money would be worth it
TINY = 1e-6  # of size_high: below it the slope of accuracy in work counts as the one there, which is finite


@dataclass(frozen=True)
class Computation:
    """The server's value of work: a model of accuracy whose `sizes` are work."""

    accuracy: AccuracyModel
    size_high: float
    square: bool
    latency: float

    def work(self, sizes: Floats) -> FloatArray:
        D = np.asarray(sizes, dtype=np.float64)
        return D**2 / self.size_high if self.square else D

    def size_of(self, work: Floats) -> FloatArray:
        y = np.asarray(work, dtype=np.float64)
        return np.sqrt(y * self.size_high) if self.square else y

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        D = self.size_of(sizes)
        return self.accuracy(D, iid) + self.latency * np.log1p(-LAST * D / self.size_high)

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        D, high = self.size_of(sizes), self.size_high
        rise = self.accuracy.slope(D, iid) - self.latency * LAST / (high - LAST * D)
        return rise * high / (2 * np.maximum(D, TINY * high)) if self.square else rise
