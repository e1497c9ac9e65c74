"""Partitions: the Dirichlet, exact sizes, limits, what runs out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi.errors import InputError
from lefi.profiling.partition import Partitioner, label_shares, whole_counts

LABELS = np.arange(1000) % 10
IDS = np.arange(4000)
EVEN = np.full(10, 0.1)


@pytest.mark.parametrize("pi", [0.1, 0.5, 0.9])
def test_shares_are_a_dirichlet(pi: float) -> None:
    """Mean 1/K and variance (1/K)(1 - 1/K) / (K c + 1) with c = pi / (1 - pi)."""
    shares = label_shares(pi, EVEN, 3, IDS)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares.mean(axis=0) == pytest.approx(0.1, abs=0.02)
    assert shares.var() == pytest.approx(0.09 / (10 * pi / (1 - pi) + 1), rel=0.06)


def test_the_limits_are_one_label_and_equal_shares() -> None:
    one, equal = label_shares(0.0, EVEN, 3, IDS[:50]), label_shares(1.0, EVEN, 3, IDS[:50])
    assert (np.sort(one, axis=1)[:, -1] == 1).all()
    assert len(np.unique(one.argmax(axis=1))) > 5
    assert (equal == 0.1).all()
    assert np.abs(label_shares(1e-9, EVEN, 3, IDS[:50]) - one).max() < 1e-6
    assert np.abs(label_shares(1 - 1e-9, EVEN, 3, IDS[:50]) - equal).max() < 1e-3


@given(
    pi=st.lists(st.floats(0, 1), min_size=1, max_size=5),
    counts=st.lists(st.integers(0, 3000), min_size=5, max_size=5),
    seed=st.integers(0, 2**32),
)
def test_sizes_are_exact_and_nothing_is_nan(pi: list[float], counts: list[int], seed: int) -> None:
    part = Partitioner(LABELS, seed).draw(np.array(counts[: len(pi)]), np.array(pi))
    for row, count, shares in zip(part.samples, part.counts, part.shares, strict=True):
        held = np.bincount(LABELS[row[:count]], minlength=10)
        assert held.sum() == count
        assert held / max(count, 1) == pytest.approx(shares)
        assert (row[count:] == 0).all()
    assert np.isfinite(part.shares).all()
    assert ((part.distance >= 0) & (part.distance <= 0.9 + 1e-12)).all()


@given(
    pi=st.lists(st.floats(0, 1), min_size=1, max_size=5),
    counts=st.lists(st.integers(0, 500), min_size=5, max_size=5),
    seed=st.integers(0, 2**32),
)
def test_no_sample_is_with_two_clients_while_its_label_lasts(pi: list[float], counts: list[int], seed: int) -> None:
    part = Partitioner(LABELS, seed).draw(np.array(counts[: len(pi)]), np.array(pi))
    wanted = np.rint(part.shares * part.counts[:, None]).sum(axis=0)
    held = [row[:count] for row, count in zip(part.samples, part.counts, strict=True)]
    distinct = np.unique(np.concatenate(held)).size
    assert distinct == np.minimum(wanted, 100).sum()  # there are 100 of each label
    assert part.repeats.sum() == part.counts.sum() - distinct


def test_five_clients_hold_as_much_as_there_is() -> None:
    assert np.unique(Partitioner(LABELS, 0).draw(np.full(5, 200), 1.0).samples).size == 1000
    assert np.unique(Partitioner(LABELS, 0, overlap=True).draw(np.full(5, 200), 1.0).samples).size < 800


@pytest.mark.parametrize("pi", [0.2, 1.0])
def test_a_group_stays_with_one_client(pi: float) -> None:
    groups = np.arange(1000) // 40 * 10 + LABELS  # 4 samples of a label each
    part = Partitioner(LABELS, 3, groups=groups).draw(np.full(4, 60), pi)
    holders = [set(groups[row[:count]]) for row, count in zip(part.samples, part.counts, strict=True)]
    assert all(not one & other for n, one in enumerate(holders) for other in holders[:n])
    assert part.repeats.sum() == 0
    shuffled = Partitioner(LABELS, 3).draw(np.full(4, 60), pi)
    holders = [set(groups[row[:count]]) for row, count in zip(shuffled.samples, shuffled.counts, strict=True)]
    assert any(one & other for n, one in enumerate(holders) for other in holders[:n])  # the control


def test_labels_that_are_rare_in_the_data_are_rare_with_clients() -> None:
    labels = np.repeat([0, 1, 2], [800, 150, 50])
    even = Partitioner(labels, 0).draw(np.full(4, 200), 1.0)
    assert even.shares == pytest.approx(np.tile([0.8, 0.15, 0.05], (4, 1)))
    assert (even.repeats.sum(), even.distance.max()) == (0, pytest.approx(0))
    shares = label_shares(0.5, np.array([0.8, 0.15, 0.05]), 3, IDS)
    assert shares.mean(axis=0) == pytest.approx([0.8, 0.15, 0.05], abs=0.02)
    one = label_shares(0.0, np.array([0.8, 0.15, 0.05]), 3, IDS)
    assert one.mean(axis=0) == pytest.approx([0.8, 0.15, 0.05], abs=0.02)


def test_a_size_beyond_the_data_is_repeats_and_does_not_hang() -> None:
    part = Partitioner(LABELS, 0).draw(np.array([5000]), 1.0)
    assert (part.counts[0], part.repeats[0]) == (5000, 4000)


def test_smaller_sets_lie_within_larger_ones() -> None:
    draw = Partitioner(LABELS, 5).draw
    small, large = draw(np.full(3, 100), 0.4), draw(np.full(3, 200), 0.4)
    for one, other in zip(small.samples, large.samples, strict=True):
        assert len(np.setdiff1d(one, other)) <= 5  # rounding of shares may turn a label by one


@pytest.mark.parametrize("overlap", [False, True])
def test_the_seed_decides_and_the_order_of_clients_does_not(overlap: bool) -> None:
    def draw(seed: int, ids: list[int]) -> "np.ndarray[tuple[int, int], np.dtype[np.int32]]":
        return Partitioner(LABELS, seed, overlap=overlap).draw(np.full(len(ids), 50), 0.3, np.array(ids)).samples

    assert np.array_equal(draw(1, [2, 0, 1]), draw(1, [0, 1, 2])[[2, 0, 1]])
    assert not np.array_equal(draw(2, [0, 1, 2]), draw(1, [0, 1, 2]))
    assert np.array_equal(draw(1, [2, 0]), draw(1, [0, 1, 2])[[2, 0]]) == overlap  # who is alone draws as before


def test_distance_falls_as_iid_rises() -> None:
    draw = Partitioner(LABELS, 0).draw
    means = [draw(np.full(50, 500), pi).distance.mean() for pi in (0.0, 0.1, 0.4, 0.8, 1.0)]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(0.9)
    assert means[-1] == 0


def test_whole_counts_go_to_the_largest_remainders() -> None:
    counts = whole_counts(np.array([[0.55, 0.30, 0.15]]), np.array([10]))
    assert counts.tolist() == [[6, 3, 1]] or counts.tolist() == [[5, 3, 2]]
    assert whole_counts(np.array([[0.46, 0.33, 0.21]]), np.array([10])).tolist() == [[5, 3, 2]]


def test_bad_counts_are_refused() -> None:
    with pytest.raises(InputError, match="counts"):
        Partitioner(LABELS, 0).draw(np.array([-1]), 0.5)
    with pytest.raises(InputError, match="iid"):
        Partitioner(LABELS, 0).draw(np.array([5]), 1.5)
