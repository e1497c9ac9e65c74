"""One price of money against brute force."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lefi.allocation import allocate, fill
from lefi.arrays import FloatArray


def table(seed: int, clients: int, candidates: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    cost = np.concatenate([np.zeros((clients, 1)), rng.random((clients, candidates)).cumsum(axis=1)], axis=1)
    gain = np.concatenate([np.zeros((clients, 1)), rng.random((clients, candidates)).cumsum(axis=1)], axis=1)
    return gain, cost


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), clients=st.integers(1, 5), share=st.floats(0.05, 1.2))
def test_within_the_budget_and_near_the_best_of_all_choices(seed: int, clients: int, share: float) -> None:
    gain, cost = table(seed, clients, 4)
    budget = share * float(cost[:, -1].sum())
    pick, _ = allocate(gain, cost, budget, attempts=8)
    rows = np.arange(clients)
    assert cost[rows, pick].sum() <= budget
    best = 0.0
    for choice in product(range(5), repeat=clients):
        chosen = np.array(choice)
        if cost[rows, chosen].sum() <= budget:
            best = max(best, float(gain[rows, chosen].sum()))
    # One price leaves at most one client short of its next step.
    assert gain[rows, pick].sum() >= best - np.diff(gain, axis=1).max() * 4


def test_concave_gains_are_solved_to_the_grid() -> None:
    value = np.array([1.0, 2.0, 3.0])
    cost = np.linspace(0, 4, 4001)[None].repeat(3, axis=0)
    gain = value[:, None] * np.log1p(cost)
    pick, price = allocate(gain, cost, 5.0, attempts=8)
    spent = cost[np.arange(3), pick]
    np.testing.assert_allclose(spent, value / price - 1, atol=2e-3)  # v / (1 + s) = price
    assert 4.997 < spent.sum() <= 5.0


def test_where_all_is_affordable_money_has_no_price() -> None:
    gain, cost = table(1, 4, 3)
    pick, price = allocate(gain, cost, 1e6)
    assert price == 0
    np.testing.assert_array_equal(pick, gain.argmax(axis=1))


def test_fill_takes_the_best_bargain_that_fits() -> None:
    gain = np.array([[0.0, 1.0], [0.0, 3.0]])
    cost = np.array([[0.0, 1.0], [0.0, 1.0]])
    lean, rich = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    np.testing.assert_array_equal(fill(gain, cost, lean, rich, 1.5), [0, 1])
