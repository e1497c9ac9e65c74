"""Opinions by subjective logic: what is held of each client after what it did. One row of numbers per client.

b, d, u  belief, disbelief, uncertainty;  b + d + u = 1
p, n     good and bad deeds that were seen, older ones for less     kappa + eta = 1, eta > kappa: bad deeds count more
alpha = kappa p,  beta = eta n,  u = W / (W + p + n),  b = (1 - u) alpha / (alpha + beta),  d the rest
reputation T = b + gamma u.  After Kang et al. (2019), who take u from the quality of the link instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray

UNSURE = 4.0  # W: deeds after which half of the uncertainty is gone; with 2, one silent round would end a career


@dataclass(frozen=True, eq=False)
class Opinion:
    """Belief, disbelief and uncertainty about each client."""

    belief: FloatArray
    disbelief: FloatArray
    uncertainty: FloatArray

    def reputation(self, trusting: float) -> FloatArray:
        """T = b + gamma u: `trusting` is the share of the uncertainty that speaks for the client."""
        return self.belief + trusting * self.uncertainty


def opinion(good: FloatArray, bad: FloatArray, caution: float) -> Opinion:
    """What deeds say. `caution` is eta, the weight of a bad deed; a good one weighs the rest of 1."""
    alpha, beta = (1 - caution) * good, caution * bad
    u = UNSURE / (UNSURE + good + bad)
    seen = alpha + beta > 0
    share = np.divide(alpha, alpha + beta, out=np.zeros_like(alpha), where=seen)
    b = np.where(seen, (1 - u) * share, 0.0)
    return Opinion(b, np.where(seen, 1 - u - b, 0.0), np.where(seen, u, 1.0))


def fused(first: Opinion, second: Opinion) -> Opinion:
    """The opinion of two who saw different deeds; where neither has any doubt, half of each."""
    u, v = first.uncertainty, second.uncertainty
    whole = u + v - u * v
    sure = whole <= 0
    safe = np.where(sure, 1.0, whole)
    b = np.where(sure, (first.belief + second.belief) / 2, (first.belief * v + second.belief * u) / safe)
    both = np.where(sure, 0.0, u * v / safe)
    return Opinion(b, np.maximum(1 - b - both, 0.0), both)


def recommended(opinions: Sequence[Opinion], weights: Sequence[FloatArray]) -> Opinion:
    """The mean of what others recommend, weighted; all uncertain where nobody has any weight."""
    total = np.sum(weights, axis=0)
    share = [np.divide(own, total, out=np.zeros_like(total), where=total > 0) for own in weights]
    b, d = (
        np.sum([part * getattr(one, name) for part, one in zip(share, opinions, strict=True)], axis=0)
        for name in ("belief", "disbelief")
    )
    return Opinion(b, d, 1 - b - d)


def similarity(first: Opinion, second: Opinion) -> float:
    """Cosine of what two hold of the same clients: recommendations of those who judge alike count more. In [0, 1]."""
    one, other = (np.concatenate([of.belief, of.disbelief]) for of in (first, second))
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length > 0 else 0.0
