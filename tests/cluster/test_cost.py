"""The cost of fleets that do not fit here follows from the constants that were measured."""

from typing import Any

import pytest

from benchmarks.cluster import CORES, MEMORY, USED, cost
from lefi.cluster.driver import EVERY

ONE: dict[str, Any] = {"mechanism": "uniform", "clients": 10**5, "once": 2.0, "state": 320.0, "disk": 20.0, "save": 1.0}
ONE |= {"microseconds": 1.6}


def test_a_round_grows_with_clients_over_machines() -> None:
    found = cost(ONE, 10**9)
    assert found["machines"] == round(10**9 * 320 / (USED * MEMORY))
    assert found["seconds"] == pytest.approx((1.6 + 1 / EVERY) * 1e3 / (found["machines"] * CORES) + 2)
    assert found["disk"] == 20e9
    assert found["messages"] == 8 * found["partitions"]
    assert cost(ONE | {"mechanism": "waterfill"}, 10**9)["messages"] == 12 * found["partitions"]


def test_a_plan_that_ranks_all_clients_grows_with_them() -> None:
    same, ranked = cost(ONE, 10**6)["seconds"], cost(ONE | {"mechanism": "price"}, 10**6)["seconds"]
    assert ranked - same == pytest.approx(2 * 10 - 2)
