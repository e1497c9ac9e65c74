"""Expected improvement in closed form against its integral."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from lefi.arrays import FloatArray
from lefi.mechanisms.bara import expected_improvement


class Belief:
    """Stands in for a fitted process: mean and std at each row are given."""

    def __init__(self, mu: list[float], sigma: list[float]) -> None:
        self.mu, self.sigma = np.array(mu), np.array(sigma)

    def predict(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self.mu, self.sigma


@pytest.mark.parametrize("sigma", [1e-3, 0.1, 2.0])
@pytest.mark.parametrize("distance", [-4.0, -1.0, 0.0, 0.5, 3.0])
def test_it_is_the_mean_of_what_lies_above_the_target(distance: float, sigma: float) -> None:
    target = 0.2
    mu = target + distance * sigma
    belief: Any = Belief([mu], [sigma])
    density = norm(mu, sigma)
    integral = quad(lambda y: (y - target) * density.pdf(y), target, mu + 12 * sigma, epsabs=1e-14, points=[mu])[0]
    assert expected_improvement(belief, np.zeros((1, 1)), target) == pytest.approx([integral], rel=1e-7, abs=1e-12)


def test_certainty_improves_by_the_difference() -> None:
    belief: Any = Belief([0.3, 0.1], [0.0, 0.0])
    assert expected_improvement(belief, np.zeros((2, 1)), 0.2) == pytest.approx([0.1, 0.0], abs=1e-9)
