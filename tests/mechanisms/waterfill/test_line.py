"""The search along one client's line: candidates that are its optimum, and steps that find it."""

import numpy as np
import pytest

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.curves import NOTHING, blank_view, evaluate
from lefi.mechanisms.waterfill.facts import Found, Known
from lefi.mechanisms.waterfill.line import LEVELS, Offers, Search, best_offers, blank_room
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, HIGH, KIND, LOW, STEP_KIND, TRACKS, C, M, V

RATE, TOP, QUIET = 0.7, 10.0, 5e-4
SIZES = np.linspace(0, TOP, LEVELS)
ACCURACY = 0.06 * SIZES - 0.0025 * SIZES**2


def client(kind: int, location: float, cap: float, sd: float = 1e-4) -> FloatArray:
    tracks = np.zeros((1, TRACKS, COLUMNS))
    s = tracks[0, 0]
    s[KIND], s[M], s[V], s[LOW], s[HIGH], s[C], s[CHANCE] = kind, location, sd**2, -np.inf, np.inf, cap, 1.0
    return tracks


def known(tracks: FloatArray) -> Known:
    """A quiet client of which nothing but this is known."""
    one = np.ones(1)
    return Known(tracks, RATE * one, QUIET * one, TOP * one, np.nan * one, 0 * one, 0 * one, one < 0)


def offered(tracks: FloatArray, price: float, looks: int) -> tuple[float, float, float]:
    """Log weight, limit and cost of the best offer; nothing is tried."""
    found = Offers(np.empty(1), np.empty(1), np.empty(1))
    best_offers(
        known(tracks), ACCURACY[None, :].copy(), Search(price, 0.0, (-15.0, 5.0), 0.0, TOP, looks), found, blank_room()
    )
    return float(found.x[0]), float(found.limit[0]), float(found.cost[0])


@pytest.mark.parametrize("looks", [0, 24])
@pytest.mark.parametrize("price", [0.02, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("cap", [2.0, 8.0])
def test_a_known_rational_client_is_offered_its_optimum(cap: float, price: float, looks: int) -> None:
    b = -2.0
    x, limit, cost = offered(client(1, b, cap), price, looks)
    D = np.linspace(0, cap, 20_001)
    value = 0.06 * D - 0.0025 * D**2 - price * (np.exp(b + RATE * D) - np.exp(b))
    if value.max() > 1e-6:
        assert (x - b) / RATE == pytest.approx(D[value.argmax()], abs=0.02)
        assert cost == pytest.approx(np.exp(x) * -np.expm1(-RATE * limit))
        assert limit >= (x - b) / RATE - 1e-9
    else:
        assert x == NOTHING


def test_a_client_that_takes_all_or_nothing_is_offered_just_enough_or_nothing() -> None:
    x, limit, cost = offered(client(STEP_KIND, -1.0, 6.0), 0.2, 24)
    assert cost == pytest.approx(np.exp(-1.0), rel=0.01)  # what full delivery earns
    assert limit == pytest.approx(6.0, rel=0.01)
    assert x > -1.0
    assert offered(client(STEP_KIND, -1.0, 6.0), 2.0, 24)[0] == NOTHING


def test_steps_find_what_no_candidate_hits() -> None:
    tracks = client(1, -2.0, 9.0, sd=0.4)
    tracks[0, 1] = client(2, -1.0, TOP)[0, 0]
    tracks[0, :2, CHANCE] = 0.6, 0.4

    def worth(looks: int) -> float:
        x, _, cost = offered(tracks, 0.1, looks)
        found = Found(*(np.empty((1, 1)) for _ in range(3)))
        evaluate(np.full((1, 1), x), known(tracks), 0.0, TOP, found, blank_view())
        return float(np.interp(found.size[0, 0], SIZES, ACCURACY)) - 0.1 * cost

    assert worth(24) > worth(0)
