"""The network: its gradient is that of finite differences, and the order of clients is no matter."""

import numpy as np
import pytest

from lefi.agent.ascent import begin, climb
from lefi.agent.network import Layers, backward, centred, forward, fresh, shares
from lefi.agent.sight import NAMES
from tests.agent.networks import random_network


@pytest.mark.parametrize("name", Layers._fields)
def test_the_gradient_is_that_of_finite_differences(name: str) -> None:
    network, rng = random_network(1), np.random.default_rng(2)
    x, pull = rng.normal(size=(3, 5, len(NAMES))), rng.normal(size=(3, 5))
    found = getattr(backward(network, forward(network, x)[1], pull), name)
    way = rng.normal(size=found.shape)

    def at(step: float) -> float:
        moved = network._replace(**{name: getattr(network, name) + step * way})
        return float((pull * forward(moved, x)[0]).sum())

    assert float((found * way).sum()) == pytest.approx((at(1e-5) - at(-1e-5)) / 2e-5, rel=1e-6)


def test_clients_in_another_order_get_the_same_shares_in_that_order() -> None:
    network, rng = random_network(3), np.random.default_rng(4)
    x, order = rng.normal(size=(9, len(NAMES))), rng.permutation(9)
    np.testing.assert_allclose(forward(network, x[order])[0], forward(network, x)[0][order], rtol=0, atol=1e-12)


@pytest.mark.parametrize("clients", [1, 2, 1000])
def test_any_number_of_clients(clients: int) -> None:
    out, _ = forward(random_network(5), np.random.default_rng(6).normal(size=(clients, len(NAMES))))
    assert out.shape == (clients,)
    assert abs(out.mean()) < 1e-12


def test_an_untrained_network_gives_equal_shares() -> None:
    out, _ = forward(fresh(np.random.default_rng(0)), np.random.default_rng(1).normal(size=(4, len(NAMES))))
    np.testing.assert_array_equal(shares(out), np.ones(4))


def test_no_share_is_out_of_bounds() -> None:
    assert shares(np.array([-1e9, 1e9])).tolist() == pytest.approx([np.exp(-6), np.exp(6)])


def test_steps_lead_uphill() -> None:
    """Towards shares that were asked for."""
    state, x = begin(fresh(np.random.default_rng(0))), np.random.default_rng(1).normal(size=(6, len(NAMES)))
    wanted = centred(x[:, 1])

    def miss() -> float:
        return float(np.abs(forward(state.layers, x)[0] - wanted).max())

    before = miss()
    for _ in range(300):
        out, trace = forward(state.layers, x)
        state = climb(state, backward(state.layers, trace, wanted - out), 0.01)
    assert miss() < 0.05 * before
