"""The menu of `contract`: every type takes its own pair and none loses, for any prior; the prior is learned."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.mechanisms.contract import Contract, ironed, payments, virtual_costs


@given(st.integers(0, 10_000))
def test_every_type_likes_its_own_pair_best_and_none_loses(seed: int) -> None:
    """IR and IC for every pair of types, by enumeration, on random priors and budgets."""
    rng = np.random.default_rng(seed)
    types = int(rng.integers(1, 9))
    terms = lefi.scenario("paper", budget=float(10 ** rng.uniform(-3, 0))).terms
    mechanism = Contract(terms, types=types, cost_low=2e-4, cost_high=float(rng.uniform(4e-4, 4e-3)))
    share = rng.dirichlet(np.full(types, 0.5)) + 1e-6
    sizes = mechanism._sizes(
        np.array([0.1, 0.5, 1.0]), rng.uniform(1, 4, (3, types)), share / share.sum(), terms.budget
    )
    paid = payments(mechanism.kappa, sizes)
    assert (np.diff(sizes, axis=1) <= 1e-12).all()  # the cheaper the type, the more it delivers
    own = paid - mechanism.kappa * sizes
    assert (own >= -1e-15).all()
    for i in range(types):
        for j in range(types):
            assert (own[:, i] >= paid[:, j] - mechanism.kappa[i] * sizes[:, j] - 1e-15).all()


def test_the_most_that_clients_can_take_is_the_budget() -> None:
    terms = lefi.scenario("paper", budget=0.06).terms
    mechanism = Contract(terms)
    count = np.array([[4.0, 0, 3, 0, 0, 0, 3, 0]])
    paid = payments(mechanism.kappa, mechanism._sizes(np.array([0.5]), count, np.full(8, 1 / 8), terms.budget))
    np.testing.assert_allclose((count * paid).sum(), 0.06, rtol=1e-6)


def test_a_client_that_becomes_cheaper_is_found_out() -> None:
    market = lefi.scenario("paper", budget=0.06, payment="menu", price_factor=(0.5, 0.8), iid=0.5)
    fleet: Any = market.fleet
    dear = lefi.Market(market.terms, fleet.reprice(np.array([2.0] + [1.0] * 9)))
    mechanism = lefi.make("contract", market.terms)
    sizes = []
    for round in range(1, 61):
        now = dear if round <= 20 else market
        receipt = now.settle(round, mechanism.ask(now.fleet.roster), None)
        mechanism.tell(receipt)
        sizes.append(receipt.sizes[0])
    assert sizes[-1] > sizes[19]


def test_virtual_costs_add_the_rent_of_the_cheaper_types() -> None:
    np.testing.assert_allclose(virtual_costs(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.25, 0.25])), [1.0, 4.0, 10.0])


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8))
def test_ironing_gives_the_closest_rising_sequence(values: list[float]) -> None:
    from sklearn.isotonic import isotonic_regression

    weight = np.linspace(0.5, 1.5, len(values))
    expected = isotonic_regression(np.array(values), sample_weight=weight)
    np.testing.assert_allclose(ironed(np.array(values), weight), expected, atol=1e-9)


def test_what_clients_pick_teaches_the_shares_of_the_types() -> None:
    market = lefi.scenario("paper", clients=400, budget=2.4, payment="menu", price_factor=(0.5, 0.9))
    mechanism = lefi.make("contract", market.terms)
    assert isinstance(mechanism, Contract)
    spent = [receipt.paid for receipt in lefi.play(mechanism, market, 15)]
    share = mechanism._shares()
    assert share[:3].sum() > 0.9  # no client costs more than 0.9 of the market price: the lower part of the range
    assert 0.9 < spent[-1] / 2.4 <= 1
