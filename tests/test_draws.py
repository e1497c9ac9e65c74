import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from lefi import draws
from lefi.compiler import NUMBA
from lefi.draws import generator, key, normal, uniform


def test_a_stream_is_addressed_by_seed_name_and_counters() -> None:
    keys = {key(s, name, *c) for s in (0, 1) for name in ("fleet", "mechanism") for c in ((), (0,), (1,), (1, 2))}
    assert len(keys) == 16
    assert key(3, "fleet", 2) == key(3, "fleet", 2)
    assert generator(3, "fleet", 2).random() == generator(3, "fleet", 2).random()


def test_a_generator_is_that_of_its_sequence_every_time() -> None:
    for _ in range(2):
        ours, theirs = generator(3, "fleet", 2), np.random.default_rng(draws.sequence(3, "fleet", 2))
        assert ours.bit_generator.state == theirs.bit_generator.state
        assert ours.random() == theirs.random()
        assert [child.random() for child in ours.spawn(2)] == [child.random() for child in theirs.spawn(2)]
        words = [each.bit_generator.seed_seq.generate_state(3).tolist() for each in (ours, theirs)]
        assert words[0] == words[1]


def test_a_draw_belongs_to_its_client() -> None:
    ids = np.array([5, 0, 900_000_000_000, 7])
    order = np.array([2, 0, 3, 1])
    assert np.array_equal(uniform(9, ids)[order], uniform(9, ids[order]))
    assert np.array_equal(uniform(9, ids)[:2], uniform(9, ids[:2]))
    assert np.array_equal(normal(9, ids, 3)[:, order], normal(9, ids[order], 3))


def test_rows_are_different_draws() -> None:
    rows = uniform(9, np.arange(100), 50)
    assert rows.shape == (50, 100)
    assert np.unique(rows).size == rows.size


@pytest.mark.parametrize("k", [0, 1, 2**63, 2**64 - 1])
def test_draws_are_uniform_and_normal(k: int) -> None:
    ids = np.arange(20_000)
    assert stats.kstest(uniform(k, ids), "uniform").pvalue > 1e-4
    assert stats.kstest(normal(k, ids), "norm").pvalue > 1e-4


def test_neighbouring_clients_and_keys_do_not_correlate() -> None:
    ids = np.arange(20_000)
    one, two = uniform(1, ids), uniform(2, ids)
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 0.03
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.03


def test_the_ends_are_never_reached() -> None:
    drawn = draws._unit(np.array([0, 2**64 - 1], dtype=np.uint64))
    assert ((drawn > 0) & (drawn < 1)).all()
    assert np.isfinite(ndtri(drawn)).all()


@pytest.mark.skipif(not NUMBA, reason="there is nothing compiled to compare with")
@pytest.mark.parametrize("rows", [None, 1, 7])
def test_compiled_draws_are_those_of_numpy(rows: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = np.array([0, 3, 2**40, 2**63 - 1])
    for k in (0, 12345, 2**64 - 1):
        compiled = uniform(k, ids, rows)
        monkeypatch.setattr(draws, "NUMBA", False)
        np.testing.assert_array_equal(uniform(k, ids, rows), compiled)
        monkeypatch.undo()
