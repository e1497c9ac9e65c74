"""The bank through its contract: who comes, goes, repeats, and what the settings do."""

import numpy as np
import pytest

from lefi import InputError, LefiError, UnknownName
from lefi.arrays import FloatArray
from lefi.surrogate import Bank, Hyper
from tests.surrogate.reference import exact

KERNELS = ("iwp", "matern32", "matern52", "rbf")
HYPER = Hyper(0.8, 0.5, 1e-3)


def lived(bank: Bank, rounds: int, clients: int = 70, seed: int = 0) -> dict[int, tuple[list[float], list[float]]]:
    """Rounds with newcomers, leavers, another order each time, missing answers, and inputs that repeat."""
    rng = np.random.default_rng(seed)
    seen: dict[int, tuple[list[float], list[float]]] = {}
    for round in range(rounds):
        ids = rng.permutation(3 * np.arange(clients if round > 2 else clients // 2))[: clients - 5]
        x = np.round(rng.uniform(0.1, 3, ids.size), 1)
        y = np.where(rng.random(ids.size) < 0.2, np.nan, np.log(x + 1) + 0.02 * rng.normal(size=ids.size))
        bank.observe(ids, x, y)
        for id, a, b in zip(ids.tolist(), x.tolist(), y.tolist(), strict=True):
            history = seen.setdefault(id, ([], []))
            if not np.isnan(b):
                history[0].append(a)
                history[1].append(b)
    return seen


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_client_has_a_process_of_its_own(kernel: str) -> None:
    bank = Bank(kernel, HYPER)
    seen = lived(bank, 9)
    ids = np.array([*list(seen)[::7], 10_000])
    q = np.linspace(0.2, 3.5, ids.size * 3).reshape(ids.size, 3)
    mean, covariance = bank.joint(ids, q)
    for i, id in enumerate(ids.tolist()):
        x, y = seen.get(id, ([], []))
        right = exact(kernel, HYPER, np.array(x), np.array(y), q[i])
        assert mean[i] == pytest.approx(right.mean, abs=1e-9)
        assert covariance[i] == pytest.approx(right.covariance, abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_queries_in_any_order_and_number(kernel: str) -> None:
    bank = Bank(kernel, HYPER)
    lived(bank, 6)
    ids, grid = bank.ids[:20], np.tile([2.0, 0.5, 1.5, 0.5, 3.0, 0.1, 1.0], (20, 1))
    mean, std = bank.predict(ids, grid)
    for j in range(grid.shape[1]):
        one, spread = bank.predict(ids, grid[:, j])
        assert mean[:, j] == pytest.approx(one, abs=1e-12)
        assert std[:, j] == pytest.approx(spread, abs=1e-9)
    _, covariance = bank.joint(ids, grid[:, :3])
    _, sorted_covariance = bank.joint(ids, np.sort(grid[:, :3], axis=1))
    back = np.argsort(np.argsort(grid[0, :3]))
    assert covariance == pytest.approx(sorted_covariance[:, back][:, :, back], abs=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("warp", ["none", "log"])
def test_slope_is_the_limit_of_the_joint_difference(kernel: str, warp: str) -> None:
    bank = Bank(kernel, Hyper(0.8, 0.5, 1e-2), warp_name=warp, origin=None)
    lived(bank, 8)
    ids, h = bank.ids, 1e-3  # less would cancel in the variance of the difference
    x = np.linspace(0.3, 2.9, ids.size)
    slope, spread = bank.slope(ids, x)
    mean, covariance = bank.joint(ids, np.stack([x - h, x + h], axis=1))
    difference = (mean[:, 1] - mean[:, 0]) / (2 * h)
    variance = (covariance[:, 0, 0] + covariance[:, 1, 1] - 2 * covariance[:, 0, 1]) / (2 * h) ** 2
    # The derivatives of iwp and Matern-3/2 are rough: their difference over h converges like h only.
    rough = 2e-2 if kernel in ("iwp", "matern32") else 1e-3
    assert slope == pytest.approx(difference, rel=rough, abs=rough)
    assert spread == pytest.approx(np.sqrt(variance), rel=rough, abs=1e-4)


def test_slope_of_an_unknown_client_is_the_priors() -> None:
    for kernel, variance in (("iwp", 1 + 2.0), ("matern32", 3.0), ("matern52", 5 / 3), ("rbf", 1.0)):
        mean, std = Bank(kernel, Hyper(1.0, 1.0, 1e-2)).slope(np.array([1]), np.array([2.0]))
        assert (mean[0], std[0]) == pytest.approx((0.0, np.sqrt(variance)))


@pytest.mark.parametrize("kernel", KERNELS)
def test_order_of_observations_and_of_ids_leaves_no_trace(kernel: str) -> None:
    one, other = Bank(kernel, HYPER), Bank(kernel, HYPER)
    rng = np.random.default_rng(3)
    ids = np.arange(40)
    rounds = [(rng.uniform(0, 2, 40), rng.normal(size=40)) for _ in range(6)]
    for x, y in rounds:
        one.observe(ids, x, y)
    for x, y in rounds[::-1]:
        p = rng.permutation(40)
        other.observe(ids[p], x[p], y[p])
    q = np.full(40, 1.1)
    for a, b in zip(one.predict(ids, q), other.predict(ids, q), strict=True):
        assert a == pytest.approx(b, abs=1e-10)


def test_a_copy_goes_its_own_way() -> None:
    bank = Bank("iwp", HYPER)
    lived(bank, 4)
    before = bank.predict(bank.ids, np.ones(bank.ids.size))[0].copy()
    twin = bank.copy()
    twin.observe(twin.ids, np.ones(twin.ids.size), np.full(twin.ids.size, 5.0))
    twin.refit(Hyper(3.0, 1.0, 1e-1))
    assert bank.predict(bank.ids, np.ones(bank.ids.size))[0] == pytest.approx(before, abs=1e-15)


@pytest.mark.parametrize("kernel", ["iwp", "matern52", "rbf"])
def test_a_capped_history_stays_small_and_close(kernel: str) -> None:
    free, capped = Bank(kernel, Hyper(1.0, 1.0, 1e-2)), Bank(kernel, Hyper(1.0, 1.0, 1e-2), cap=32)
    rng = np.random.default_rng(0)
    ids = np.arange(40)
    for _ in range(120):
        x = rng.uniform(0, 3, 40)
        y = np.sin(x) + 0.1 * rng.normal(size=40)
        for bank in (free, capped):
            bank.observe(ids, x, y)
    q = np.tile(np.linspace(0.1, 2.9, 9), (40, 1))
    (mean, std), (near, spread) = free.predict(ids, q), capped.predict(ids, q)
    assert capped.history.count.max() <= 32
    assert capped.nbytes < free.nbytes
    assert np.abs((near - mean) / std).max() < 0.5
    assert np.median(np.abs(near - mean) / std) < 0.1
    assert np.abs(spread / std - 1).max() < 0.1


@pytest.mark.parametrize("kernel", ["matern52", "rbf"])
def test_a_client_that_misses_a_round_with_a_full_history_leaves_room_for_the_others(kernel: str) -> None:
    """The sweep goes one slot beyond the longest history of a block, also where that client did not answer."""
    ids = np.array([0, 1])
    bank, alone = Bank(kernel), Bank(kernel)
    while bank.history.slots == 0 or bank.history.count[0] < bank.history.slots:
        x = 0.1 * (1.0 + bank.count[0] if bank.ids.size else 1.0)
        bank.observe(ids, np.full(2, x), np.array([x, np.nan]))
        bank.settle()
    bank.observe(ids, np.ones(2), np.array([np.nan, 0.5]))
    alone.observe(ids[1:], np.ones(1), np.array([0.5]))
    assert bank.history.slots > bank.history.count.max()
    np.testing.assert_allclose(bank.predict(ids[1:], np.full(1, 1.5)), alone.predict(ids[1:], np.full(1, 1.5)))


def test_merging_equal_inputs_is_exact() -> None:
    free, capped = Bank("matern32", HYPER), Bank("matern32", HYPER, cap=8)
    rng = np.random.default_rng(0)
    ids = np.array([1])
    for t in range(50):
        x, y = np.array([[0.2, 1.0, 2.0][t % 3]]), rng.normal(size=1)
        free.observe(ids, x, y)
        capped.observe(ids, x, y)
    q = np.array([[0.1, 1.0, 2.5]])
    for a, b in zip(free.joint(ids, q), capped.joint(ids, q), strict=True):
        assert a == pytest.approx(b, abs=1e-12)


def test_hyper_parameters_may_differ_by_client() -> None:
    table = [Hyper(0.5, 1.0, 1e-2), Hyper(2.0, 0.3, 1e-4)]
    bank = Bank("matern52", HYPER)
    lived(bank, 5)
    choice = np.arange(bank.ids.size) % 2
    q = np.full(bank.ids.size, 1.2)
    expected: list[tuple[FloatArray, FloatArray]] = []
    for hyper in table:
        bank.refit(hyper)
        expected.append(bank.predict(bank.ids, q))
    bank.refit(table, choice)
    mean, std = bank.predict(bank.ids, q)
    for i in (0, 1):
        assert mean[choice == i] == pytest.approx(expected[i][0][choice == i], abs=0)
        assert std[choice == i] == pytest.approx(expected[i][1][choice == i], abs=0)
    bank.observe(np.array([1]), np.array([1.0]), np.array([0.3]))  # a newcomer follows the first entry
    assert bank.predict(np.array([1]), np.array([50.0]))[1] == pytest.approx(1.0, abs=1e-6)


def test_another_kernel_and_warp_with_all_that_was_observed() -> None:
    bank, fresh = Bank("rbf", HYPER), Bank("iwp", HYPER, warp_name="log", origin=0.01)
    lived(bank, 6)
    lived(fresh, 6)
    bank.adopt("iwp", "log", origin=0.01)
    q = np.full(bank.ids.size, 1.3)
    for a, b in zip(bank.predict(bank.ids, q), fresh.predict(bank.ids, q), strict=True):
        assert a == pytest.approx(b, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"kernel": "matern12"}, UnknownName, "matern"),
        ({"warp_name": "sqrt"}, UnknownName, "warp"),
        ({"storage": "float16"}, UnknownName, "float32"),
        ({"device": "tpu"}, UnknownName, "cuda"),
        ({"cap": 3}, InputError, "cap"),
        ({"kernel": "rbf", "device": "cuda"}, InputError, "cpu"),
        ({"kernel": "iwp", "storage": "float32", "hyper": Hyper(1.0, 1.0, 1e-7)}, InputError, "noise"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], error: type[LefiError], message: str) -> None:
    with pytest.raises(error, match=message):
        Bank(**settings)  # type: ignore[arg-type]


def test_inputs_that_the_kernel_cannot_take_are_refused() -> None:
    one = np.array([1])
    with pytest.raises(InputError, match="origin"):
        Bank("iwp").observe(one, np.array([-0.1]), np.array([1.0]))
    with pytest.raises(InputError, match="> 0"):
        Bank("iwp", warp_name="log").predict(one, np.array([0.0]))


def test_rbf_over_any_distance() -> None:
    bank, one = Bank("rbf", HYPER), np.array([1])
    x, y = np.array([0.0, 1.0, 90.0, 91.0]), np.array([0.1, 0.3, 0.2, 0.5])
    for a, b in zip(x, y, strict=True):
        bank.observe(one, np.array([a]), np.array([b]))
    q = np.array([[0.5, 90.5, 1e3]])
    right = exact("rbf", HYPER, x, y, q[0])
    mean, covariance = bank.joint(one, q)
    assert mean[0] == pytest.approx(right.mean, abs=1e-10)
    assert covariance[0] == pytest.approx(right.covariance, abs=1e-10)
    assert bank.evidence()[0] == pytest.approx(right.evidence, abs=1e-9)
    near, h = bank.slope(one, np.array([0.5])), 1e-4
    far = Bank("rbf", HYPER)
    for a, b in zip(x, y, strict=True):
        far.observe(one, np.array([a]), np.array([b]))
    ends, _ = far.predict(one, np.array([[0.5 - h, 0.5 + h]]))
    assert near[0] == pytest.approx((ends[:, 1] - ends[:, 0]) / (2 * h), rel=1e-5)


def test_a_million_clients_take_little_room() -> None:
    bank = Bank("iwp", HYPER)
    bank.history.admit(32 * 1000)
    bank.rows.admit(np.arange(32 * 1000))
    bank.history.reserve(100)
    assert bank.nbytes / (32 * 1000) <= 2500


@pytest.mark.parametrize("cap", [None, 8])
@pytest.mark.parametrize("kernel", ["matern52", "rbf"])
def test_who_is_forgotten_leaves_the_others_as_they_were(kernel: str, cap: int | None) -> None:
    """Rows, histories, merged answers and own hyper-parameters move together, and a pending answer is not lost."""
    ids, x = np.arange(70), np.linspace(0.1, 2, 12)
    bank = Bank(kernel, Hyper(2.0, 1.0, 1e-3), cap=cap)
    for t in range(12):
        bank.observe(ids, x[t] + 0.01 * ids, np.sin(x[t] + ids))
    bank.refit([Hyper(2.0, 1.0, 1e-3), Hyper(1.0, 2.0, 1e-2)], ids % 2)
    before = bank.predict(ids, np.full(70, 0.7))
    bank.observe(ids[:3], np.full(3, 0.3), np.full(3, 5.0))
    told = bank.copy().predict(ids, np.full(70, 0.7))
    assert told[0][0] != before[0][0]
    bank.forget(np.array([1, 5, 33, 69, 700]))
    stay = np.setdiff1d(ids, [1, 5, 33, 69])
    assert np.array_equal(np.sort(bank.ids), stay)
    for found, expected in zip(bank.predict(stay, np.full(66, 0.7)), told, strict=True):
        assert found == pytest.approx(expected[stay], rel=1e-9)
    bank.observe(np.array([5, 200]), np.full(2, 0.4), np.full(2, 1.0))  # who comes back is new
    assert bank.count[bank.rows.find(np.array([5]))].tolist() == [1]
