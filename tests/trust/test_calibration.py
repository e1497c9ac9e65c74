"""How a reference is learned: how wide honest clients are taken to spread, and what a round's number changes."""

import numpy as np
import pytest

from lefi import InputError
from lefi.trust import Record, calibrate
from lefi.trust.calibration import _ever, _near, _spread, _widened
from lefi.trust.martingale import Spread
from lefi.trust.scores import NAMES
from tests.trust.made_up import WEIGHTS, record


def paths(clients: int, heavy: float, seed: int = 0) -> np.ndarray:
    """Honest scores; in the first of them, some clients are further out than a normal law has it."""
    rng = np.random.default_rng(seed)
    found = rng.normal(size=(clients, 1, len(NAMES))) * 0.6 + rng.normal(size=(clients, 12, len(NAMES))) * 0.8
    found[: int(0.02 * clients), :, 0] -= heavy
    return found


def spreads(found: np.ndarray) -> list[Spread]:
    return [_spread(found[:, :, place]) for place in range(len(NAMES))]


def accused(found: np.ndarray, wide: list[Spread]) -> int:
    return int(np.any([_ever(found[:, :, place], one) for place, one in enumerate(wide)], axis=0).sum())


def test_only_the_score_that_accuses_is_widened_until_few_enough_are_accused() -> None:
    found = paths(800, heavy=4.0)
    before = [Spread(0.0, 0.6, 0.2, 8.0, 0.8)] * len(NAMES)
    after = _widened(found, list(before))
    assert accused(found, before) > 3 >= accused(found, after)
    assert after[0].tau > before[0].tau
    assert after[1:] == before[1:]


def test_the_fewer_clients_the_wider() -> None:
    """Nobody may be accused of 200 clients, three may of 800: one more client is as those with a chance of 0.5%."""
    many = paths(800, heavy=3.0)
    few = many[::4]
    wide = spreads(many)
    assert _widened(few, list(wide))[0].tau >= _widened(many, list(wide))[0].tau
    assert accused(few, _widened(few, list(wide))) == 0


def test_a_spread_is_never_below_one_unit() -> None:
    one = _spread(0.1 * paths(300, heavy=0.0)[:, :, 1])
    assert np.sqrt(one.tau**2 + one.delta**2 + one.sigma**2) == pytest.approx(1.0)


def test_late_rounds_are_like_more_others_than_early_ones() -> None:
    job = list(range(20))
    assert _near([job], 0) == [0]
    assert _near([job], 2) == [1, 2, 3]
    assert _near([job], 11) == list(range(7, 16))
    assert _near([job, [0, 1]], 25) == job[13:]


def test_clients_that_come_and_go_are_no_reference_alone() -> None:
    jobs = [record(seed) for seed in range(12)]
    jobs = [Record([ids + 20 * t for t, ids in enumerate(job.ids)], job.features) for job in jobs]
    with pytest.raises(InputError, match="took part in every round"):
        calibrate(jobs, {"weights": WEIGHTS})
