"""The best menu against brute force, and what every menu must keep: own pair best, nobody loses, within the budget."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.screening import best_menu, ironed, payments

STEPS = 11  # sizes of the grid


def worth(terms: lefi.Terms, iid: FloatArray, expected: FloatArray, sizes: FloatArray) -> float:
    return float((expected * terms.accuracy(sizes, iid[:, None])).sum())


def brute_force(
    terms: lefi.Terms, iid: FloatArray, kappa: FloatArray, expected: FloatArray, shown: FloatArray, budget: float
) -> float:
    """The most that any menu of the grid is worth, out of all whose sizes fall with the type."""
    grid = np.linspace(terms.size_low, terms.size_high, STEPS)[::-1]
    falling = np.array(list(combinations_with_replacement(grid, kappa.size)))
    paid = payments(kappa, falling, terms.size_low)
    best = -np.inf
    each = [(expected[c] * terms.accuracy(falling, iid[c])).sum(axis=1) for c in range(iid.size)]
    cost = [(shown[c] * paid).sum(axis=1) for c in range(iid.size)]
    for menus in product(range(len(falling)), repeat=iid.size - 1):
        rest = sum(float(cost[c + 1][menu]) for c, menu in enumerate(menus))
        gain = sum(float(each[c + 1][menu]) for c, menu in enumerate(menus))
        within = cost[0] + rest <= budget
        if within.any():
            best = max(best, gain + float(each[0][within].max()))
    return best


@pytest.mark.parametrize("seed", range(24))
def test_no_menu_of_a_grid_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes, types = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    low = float(rng.choice([0.0, 0.0, 2.0]))
    terms = lefi.scenario("paper", size_low=low).terms
    iid, kappa = rng.uniform(0.1, 1, classes), np.sort(rng.uniform(3e-4, 1.4e-3, types))
    shown = rng.multinomial(5, np.full(types, 1 / types), classes).astype(float)
    expected = np.array([[row[: i + 1].sum() for i in range(types)] for row in shown]) * rng.uniform(0, 1, types)
    budget = float(10 ** rng.uniform(-3, -1))
    sizes = best_menu(terms, iid, kappa, expected, shown, budget)
    assert (shown * payments(kappa, sizes, low)).sum() <= budget
    ours, theirs = worth(terms, iid, expected, sizes), brute_force(terms, iid, kappa, expected, shown, budget)
    assert ours >= theirs - 1e-9 * abs(theirs)


def test_the_first_menu_is_one_pooled_pair() -> None:
    """Everybody may be of the cheapest type, so a larger pair for it has to be paid to all."""
    terms, kappa = lefi.scenario("paper").terms, np.linspace(4e-4, 1.4e-3, 8)
    shown = np.zeros((1, 8))
    shown[0, 0] = 10.0
    sizes = best_menu(terms, np.array([0.5]), kappa, np.full((1, 8), 10 / 8), shown, 0.06)
    assert np.ptp(sizes) == pytest.approx(0, abs=1e-9)
    assert sizes[0, 0] == pytest.approx(0.06 / 10 / kappa[-1], rel=1e-6)


@given(st.integers(0, 10_000))
def test_every_type_likes_its_own_pair_best_and_none_loses(seed: int) -> None:
    """IR and IC for every pair of types, by enumeration, on random beliefs and budgets."""
    rng = np.random.default_rng(seed)
    types, low = int(rng.integers(1, 9)), float(rng.choice([0.0, 1.0]))
    terms = lefi.scenario("paper", size_low=low).terms
    kappa = np.sort(rng.uniform(2e-4, 4e-3, types))
    expected, shown = rng.uniform(0, 4, (3, types)), rng.integers(0, 3, (3, types)).astype(float)
    shown[:, 0] += 1
    budget, apart = float(10 ** rng.uniform(-3, 0)), float(rng.choice([0.0, 0.02]))
    sizes = best_menu(terms, np.array([0.1, 0.5, 1.0]), kappa, expected, shown, budget, apart)
    paid = payments(kappa, sizes, low)
    assert (shown * paid).sum() <= budget
    assert (np.diff(sizes, axis=1) <= 1e-12).all()  # the cheaper the type, the more it delivers
    own = paid - kappa * (sizes - low)
    assert (own >= -1e-15).all()
    for i in range(types):
        for j in range(types):
            assert (own[:, i] >= paid[:, j] - kappa[i] * (sizes[:, j] - low) - 1e-15).all()


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8))
def test_ironing_gives_the_closest_rising_sequence(values: list[float]) -> None:
    from sklearn.isotonic import isotonic_regression

    weight = np.linspace(0.5, 1.5, len(values))
    expected = isotonic_regression(np.array(values), sample_weight=weight)
    np.testing.assert_allclose(ironed(np.array(values), weight), expected, atol=1e-9)
