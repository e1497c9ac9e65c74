"""A job that never ends: it can be kept and goes on the same, and the ratio of two jobs has an honest interval."""

import pickle

import numpy as np
import pytest

from benchmarks.forever import Job, interval, table


@pytest.mark.parametrize("mechanism", ["price", "waterfill"])
def test_a_job_that_was_kept_goes_on_as_the_other(mechanism: str) -> None:
    job = Job(mechanism, clients=20)
    for _ in range(5):
        job.play()
    kept = pickle.loads(pickle.dumps(job))
    assert [kept.play(judged=True) for _ in range(3)] == [job.play(judged=True) for _ in range(3)]
    assert kept.round == 8
    assert kept.overspend == 0


def test_the_interval_holds_the_ratio_and_shrinks_with_the_noise() -> None:
    rng = np.random.default_rng(0)
    wide, narrow = (interval(np.array([1.0, 1.2]) * np.exp(rng.normal(0, noise, (15, 2)))) for noise in (0.1, 0.001))
    assert wide[1] < 1.2 < wide[2]
    assert narrow[0] == pytest.approx(1.2, rel=0.002)
    assert narrow[2] - narrow[1] < 0.1 * (wide[2] - wide[1])


def test_the_table_tells_memory_and_time_as_ratios() -> None:
    row = {"mechanism": "price", "rounds": 2000, "came": 5, "milliseconds": [2.0, 3.0], "ratio": [1.5, 1.4, 1.6]}
    marks = {"early": {"resident": 100.0}, "late": {"resident": 104.0}, "share": [0.9, 0.8, 0.7], "overspend": 0.05}
    told = table({"forever": [row | marks]})
    assert "| 1.040 | 2.00 ms | 3.00 ms | 1.500 [1.400, 1.600] | 0.900 | 0.800 | 0.700 | 5.0% |" in told
