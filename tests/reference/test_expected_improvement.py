"""Expected improvement in closed form against its integral."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from lefi.mechanisms.bara import expected_improvement


@pytest.mark.parametrize("sigma", [1e-3, 0.1, 2.0])
@pytest.mark.parametrize("distance", [-4.0, -1.0, 0.0, 0.5, 3.0])
def test_it_is_the_mean_of_what_lies_above_the_target(distance: float, sigma: float) -> None:
    target = 0.2
    mu = target + distance * sigma
    density = norm(mu, sigma)
    integral = quad(lambda y: (y - target) * density.pdf(y), target, mu + 12 * sigma, epsabs=1e-14, points=[mu])[0]
    found = expected_improvement(np.array([mu]), np.array([sigma]), target)
    assert found == pytest.approx([integral], rel=1e-7, abs=1e-12)


def test_certainty_improves_by_the_difference() -> None:
    assert expected_improvement(np.array([0.3, 0.1]), np.zeros(2), 0.2) == pytest.approx([0.1, 0.0], abs=1e-9)
