"""The two readings of the sampled slope."""

import numpy as np

import lefi
from lefi.mechanisms.lefi.mechanism import Lefi


def spreads(slope: str) -> tuple[float, float]:
    """Mean rise and its standard deviation, over the fleet, after 20 rounds with noisy clients."""
    market = lefi.scenario("paper", clients=40, noise=0.1)
    mechanism = lefi.make("lefi", market.terms, slope=slope)
    assert isinstance(mechanism, Lefi)
    reference = lefi.make("lefi", market.terms)
    for receipt in lefi.play(reference, market, 20):
        mechanism.tell(receipt)
    w = mechanism.weights.read(market.fleet.roster.ids, default=0.0)
    rise, sigma = mechanism._rise(market.fleet.roster, np.stack([w, w + mechanism.probe], axis=1))
    return float(rise.mean()), float(sigma.mean())


def test_the_joint_draw_has_the_same_mean_and_less_spread() -> None:
    (paper, wide), (joint, narrow) = spreads("paper"), spreads("joint")
    assert np.isclose(paper, joint, rtol=1e-9)
    assert 0 < narrow < wide


def test_the_joint_draw_plays() -> None:
    market = lefi.scenario("paper")
    *_, last = lefi.play(lefi.make("lefi", market.terms, slope="joint"), market, 10)
    assert last.paid > 0
