"""One price of money against brute force."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi.allocation import allocate, fill
from lefi.arrays import FloatArray, IntArray
from tests.lengths import examples


def table(seed: int, clients: int, candidates: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    cost = np.concatenate([np.zeros((clients, 1)), rng.random((clients, candidates)).cumsum(axis=1)], axis=1)
    gain = np.concatenate([np.zeros((clients, 1)), rng.random((clients, candidates)).cumsum(axis=1)], axis=1)
    return gain, cost


def worth(gain: FloatArray, pick: IntArray) -> float:
    return float(gain[np.arange(len(pick)), pick].sum())


def best_of_all(gain: FloatArray, cost: FloatArray, budget: float) -> float:
    choices = np.array(list(product(range(gain.shape[1]), repeat=gain.shape[0])))
    rows = np.arange(gain.shape[0])
    return float(gain[rows, choices].sum(axis=1)[cost[rows, choices].sum(axis=1) <= budget].max())


def missing(gain: FloatArray, cost: FloatArray, budget: float, pick: IntArray, price: float) -> float:
    """Dual value at this price less what the picks and the money left are worth: 0 where all respond best to it."""
    dual = float((gain - price * cost).max(axis=1).sum()) + price * budget
    return dual - worth(gain, pick) - price * (budget - worth(cost, pick))


fleets = given(seed=st.integers(0, 10**6), clients=st.integers(1, 5), share=st.floats(0.05, 1.2))


@examples(60)
@fleets
def test_no_choice_beats_it_by_more_than_the_money_left_is_worth(seed: int, clients: int, share: float) -> None:
    """Weak duality: the dual value bounds every choice from above, and at one price all reach it but for that money."""
    gain, cost = table(seed, clients, 4)
    budget = share * float(cost[:, -1].sum())
    pick, price = allocate(gain, cost, budget)
    left = budget - worth(cost, pick)
    jumps = [
        cost[i, after] - cost[i, before] for i in range(clients) for before, after in pairwise(hull(gain, cost, i))
    ]
    close = 1e-6 * price * budget + 1e-12  # the search for the price ends where that share of the budget is left
    assert 0 <= left
    assert price == 0 or left <= max(jumps)
    assert abs(missing(gain, cost, budget, pick, price)) <= close
    assert worth(gain, pick) >= best_of_all(gain, cost, budget) - price * left - close


def hull(gain: FloatArray, cost: FloatArray, client: int) -> list[int]:
    """The candidates that a client picks at some price, the cheapest first."""
    prices = np.geomspace(1e-6, 1e6, 20_001)
    return sorted(set((gain[client] - prices[:, None] * cost[client]).argmax(axis=1).tolist()))


@examples(60)
@fleets
def test_another_attempt_loses_no_more_than_the_money_left_is_worth(seed: int, clients: int, share: float) -> None:
    """What an attempt found can still be chosen in the next one, so the same bound holds from one to the next."""
    gain, cost = table(seed, clients, 4)
    budget = share * float(cost[:, -1].sum())
    before = worth(gain, allocate(gain, cost, budget)[0])
    for attempts in range(2, 9):
        pick, price = allocate(gain, cost, budget, attempts=attempts)
        left, found = budget - worth(cost, pick), worth(gain, pick)
        assert 0 <= left
        assert found >= before - price * left - 1e-6 * price * budget - 1e-12
        before = found


@pytest.mark.parametrize("seed", range(10))
def test_equal_shares_of_the_budget_fail_the_same_line(seed: int) -> None:
    """A control: each client's best candidate within its own share of the money."""
    gain, cost = table(seed, 5, 4)
    budget = 0.4 * float(cost[:, -1].sum())
    pick, price = allocate(gain, cost, budget)
    equal = np.where(cost <= budget / 5, gain, -1.0).argmax(axis=1)
    assert missing(gain, cost, budget, equal, price) > 1e-3 > abs(missing(gain, cost, budget, pick, price))
    assert worth(gain, equal) < worth(gain, allocate(gain, cost, budget, attempts=8)[0])


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
