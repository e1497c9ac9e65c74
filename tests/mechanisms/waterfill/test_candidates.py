"""What a try is worth: nothing where it tells nothing, and more the longer it counts."""

import numpy as np

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.candidates import GRID, SIZES, TOPS, expect, foresee, propose
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.curves import EXPONENTS, NOTHING, STEP, Offers, Points, blank

RATE, SIZE = np.array([0.7]), np.linspace(0, 10, SIZES)  # a thousand samples are worth 0.01
SHARED = Fleet(lefi.Terms(1.0, lefi.accuracy("paper"), size_high=10.0), float(np.exp(-1))).shared._replace(rho=5e-4)


def thresholds(*places: float) -> Points:
    """All or nothing, 6 thousand samples, with the threshold at one of these places."""
    beliefs = blank(1)
    for s, place in zip(beliefs[0], places, strict=False):
        s.kind, s.exponent, s.b, s.cap, s.chance = STEP, EXPONENTS[-1], place, 6.0, 1 / len(places)
    return beliefs


def expected(beliefs: Points, x: FloatArray) -> Offers:
    found = Offers.at(x)
    expect(beliefs, RATE, SHARED, found)
    return found


def worth(beliefs: Points, x: list[float], horizon: float) -> tuple[FloatArray, FloatArray]:
    """What later rounds gain by each candidate, and its expected size."""
    found = expected(beliefs, np.array([[NOTHING, *x]]))
    foresee(beliefs, RATE, SHARED, found, horizon * 0.01 * SIZE[None], np.array([horizon * 0.05]))
    return found.gain[0], found.size[0]


def test_an_offer_is_worth_a_try_where_some_curves_refuse_it_and_others_do_not() -> None:
    gain, size = worth(thresholds(-3.0, -2.0), [-3.5, -2.5, -1.5], horizon=50.0)
    assert gain[0] == gain[1] == gain[3] == 0  # nothing, too little for any, enough for all
    assert gain[2] > 0
    np.testing.assert_allclose(size, [0, 0, 3, 6], atol=0.01)
    assert worth(thresholds(-3.0, -2.0), [-3.5, -2.5, -1.5], horizon=100.0)[0][2] > 1.9 * gain[2]


def test_where_all_is_known_nothing_is_worth_a_try() -> None:
    assert not worth(thresholds(-3.0), [-3.5, -2.5, -1.5], horizon=50.0)[0].any()


def test_candidates_of_a_root_of_the_money_reach_down_to_small_sizes() -> None:
    beliefs = thresholds(0.0)
    s = beliefs[0, 0]
    s.kind, s.b, s.exponent, s.cap = 2, 1.0, 0.5, 10.0
    x, half = np.empty((1, 1 + GRID + TOPS)), np.empty(1)
    propose(beliefs, RATE, -20.0, 5.0, x, half)
    assert 0 < expected(beliefs, x).size[0, 1] < 0.6
