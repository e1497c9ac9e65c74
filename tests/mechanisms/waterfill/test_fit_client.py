"""What a handful of answers teaches about one client."""

import numpy as np
import pytest

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.facts import Answers, Client
from lefi.mechanisms.waterfill.fit import fit_line
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, HIGH, IDLE_KIND, KIND, LOW, STEP_KIND, C, M, V

RATE = 0.75
B = -6.5  # the location of the client in log money


def told(x: list[float], y: list[float], limit: list[float] | None = None) -> FloatArray:
    """Tracks of a client after these answers, in a fleet of one."""
    belief = Belief(start=np.log(0.5), floor=0.0, high=10.0)
    one, rate = np.zeros(1, dtype=np.int64), np.array([RATE])
    for i, (weight, size) in enumerate(zip(x, y, strict=True)):
        cut = 10.0 if limit is None else limit[i]
        belief.tell(one, rate, np.array([weight]), np.array([size]), np.array([cut]))
    return np.asarray(belief.tracks[0])


def hinge(x: float, cap: float = 10.0) -> float:
    return float(np.clip((x - B) / RATE, 0, cap))


def test_two_answers_on_the_rise_show_a_rational_client() -> None:
    tracks = told([-1.0, -1.4], [hinge(-1.0), hinge(-1.4)])
    assert tracks[0, KIND] == 0
    assert tracks[0, M] == pytest.approx(B, abs=0.02)


def quick(x: list[float], y: list[float], rho: float = 5e-4, limit: float = 10.0) -> FloatArray | None:
    """The track of a client all of whose answers lie on one rise, if they do."""
    tracks, limits = np.zeros((5, COLUMNS)), np.full(len(x), limit)
    answers = Answers(np.array(x), limits, np.array(y), len(x))
    _, weight = fit_line(tracks, answers, 0.99, Client(RATE, rho, 10.0, 0.0, 10.0))
    return tracks if weight > 0 else None


def test_answers_on_one_rise_need_no_other_explanation_and_others_do() -> None:
    x = [-1.0, -1.4, -2.0]
    y = [hinge(v) for v in x]
    tracks, slow = quick(x, y), told(x, y)
    assert tracks is not None
    assert tracks[0, KIND] == slow[0, KIND] == 0
    assert tracks[0, M] == pytest.approx(slow[0, M], abs=1e-3)
    assert tracks[:, CHANCE].tolist() == [1, 0, 0, 0, 0]
    assert quick(x, [y[0], y[1], 0.99 * y[2]]) is None  # not straight
    assert quick(x, y, rho=0.02) is None  # not apart, for such noise
    assert quick(x, y, limit=y[1]) is None  # cut
    assert quick([*x, -9.0], [*y, 0.0]) is None  # refused
    assert quick(x[:1], y[:1]) is None  # one answer shows no rise


def test_one_answer_below_the_cap_shows_where_the_kink_lies() -> None:
    x = [-0.5, -1.0, -2.0, -4.5]
    tracks = told(x, [hinge(v, cap=4.0) for v in x])
    assert tracks[0, KIND] == 1
    assert tracks[0, C] == pytest.approx(4.0, abs=1e-3)
    capped = tracks[tracks[:, KIND] == 1]
    assert np.average(capped[:, M], weights=capped[:, CHANCE]) == pytest.approx(B, abs=0.2)


def test_a_plateau_bounds_the_location_from_above() -> None:
    tracks = told([-0.5, -1.0, -2.0], [4.0, 4.0, 4.0])
    capped = tracks[tracks[:, KIND] == 1]
    assert capped[:, HIGH].max() == pytest.approx(-2.0 - RATE * 4.0, abs=0.2)  # and a little noise
    assert np.all(capped[:, M] < capped[:, HIGH])


def test_refusals_and_deliveries_bracket_a_step() -> None:
    tracks = told([-1.0, -2.0, -1.5, -1.7, -1.6], [6.0, 0.0, 6.0, 0.0, 6.0])
    assert tracks[0, KIND] == STEP_KIND
    earned = np.log(-np.expm1(-RATE * 6.0))
    assert tracks[0, LOW] == pytest.approx(-1.7 + earned)
    assert tracks[0, HIGH] == pytest.approx(-1.6 + earned)


def test_a_client_that_never_delivers_is_idle() -> None:
    tracks = told([-1.0, 0.0, 0.5, 1.0], [0.0, 0.0, 0.0, 0.0])
    assert tracks[0, KIND] == IDLE_KIND
    assert tracks[0, CHANCE] > 0.5


def test_an_answer_at_the_limit_is_a_lower_bound() -> None:
    """The client would deliver 7.33; it is paid for 3 only, and is not taken for one that delivers 3."""
    tracks = told([-1.0, -1.2], [3.0, 3.0], limit=[3.0, 3.0])
    best = tracks[tracks[:, CHANCE] > 0.2]
    assert all(track[HIGH] <= -1.2 - RATE * 2.5 or track[C] > 3.0 for track in best)
    clear = told([-1.0, -1.2, -1.2], [3.0, 3.0, hinge(-1.2)], limit=[3.0, 3.0, 10.0])
    assert clear[0, M] == pytest.approx(B, abs=0.2)


def test_noise_is_averaged_out() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-2.5, -0.5, 20)
    y = [hinge(v) * (1 + 0.1 * rng.standard_normal()) for v in x]
    tracks = told(x.tolist(), y)
    hinges = tracks[(tracks[:, KIND] <= 1) & (tracks[:, CHANCE] > 0.1)]
    assert hinges.size
    assert abs(hinges[0, M] - B) < 0.4  # a single answer is off by 0.5
    assert hinges[0, V] > 0.05**2
