"""`drl` and `chiron`: what they learn, what they need, and what they spend."""

import subprocess
import sys

import numpy as np
import pytest

import lefi
from lefi.agent.network import forward
from lefi.mechanisms.chiron import uphill
from lefi.messages import Receipt


def test_shipped_weights_are_played_without_torch_and_gymnasium() -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'gymnasium', 'stable_baselines3'): sys.modules[name] = None\n"
        "import lefi\n"
        "market = lefi.scenario('mixed', clients=4, seed=1)\n"
        "receipts = list(lefi.play(lefi.make('drl', market.terms, weights='shipped'), market, 3))\n"
        "print(len(receipts), sorted(name for name in sys.modules if name.startswith('lefi.gym')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "3 []", done.stderr


def shares_of(receipt: Receipt) -> np.ndarray:
    weight = receipt.offer.weight
    return np.asarray(weight / weight.sum())


def test_from_scratch_it_begins_near_equal_shares_and_explores() -> None:
    market = lefi.scenario("mixed", clients=8, seed=2)
    first, second = lefi.play(lefi.make("drl", market.terms, seed=1), market, 2)
    assert 1e-3 < np.abs(np.log(8 * shares_of(first))).max() < 1.5
    assert np.abs(shares_of(first) - shares_of(second)).max() > 1e-3
    calm = next(lefi.play(lefi.make("drl", market.terms, seed=1, explore=1e-6), market, 1))
    np.testing.assert_allclose(shares_of(calm), 1 / 8, rtol=1e-4)


def test_it_learns_whom_to_pay() -> None:
    """Half of the clients deliver one thousand samples whatever they are offered: paying them more buys nothing."""
    market = lefi.scenario("paper", clients=6, seed=3, budget=0.3)
    roster, lazy = market.fleet.roster, np.arange(6) % 2 == 0
    mechanism, lost = lefi.make("drl", market.terms, seed=1), []
    for round in range(1, 401):
        offer = mechanism.ask(roster)
        sizes = np.where(lazy, 1.0, market.fleet.respond(offer, None))
        mechanism.tell(Receipt(round, roster, offer, sizes, offer.payment(sizes), market.accuracy_of(sizes)))
        lost.append(float(offer.weight[lazy].sum() / offer.weight.sum()))
    assert np.mean(lost[:20]) == pytest.approx(0.5, abs=0.1)
    assert np.mean(lost[-20:]) < 0.35


def test_with_weights_it_learns_no_more() -> None:
    market = lefi.scenario("mixed", clients=5, seed=4)
    mechanism = lefi.make("drl", market.terms, weights="shipped")
    before = mechanism.state.layers  # type: ignore[attr-defined]
    list(lefi.play(mechanism, market, 12))
    assert mechanism.state.layers is before  # type: ignore[attr-defined]
    assert np.abs(forward(before, np.ones((3, before.W.shape[0])) * np.arange(3)[:, None])[0]).max() > 0


def test_without_an_accuracy_it_stays_as_it_is() -> None:
    market = lefi.scenario("mixed", clients=5, seed=4)
    mechanism = lefi.make("drl", market.terms, every=1)
    for round in (1, 2, 3):
        receipt = market.settle(round, mechanism.ask(market.fleet.roster), None)
        mechanism.tell(Receipt(round, receipt.roster, receipt.offer, receipt.sizes, receipt.payments, float("nan")))
    assert mechanism.state.steps == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("weights", [None, "shipped"])
def test_chiron_spends_its_total_and_no_more(weights: str | None) -> None:
    market = lefi.scenario("mixed", clients=6, seed=5, total=20.0, rounds=30, learning="cifar10", size_high=5.0)
    receipts = list(lefi.play(lefi.make("chiron", market.terms, seed=2, weights=weights), market, 30, seed=5))
    spent = sum(receipt.paid for receipt in receipts)
    assert 0.8 * 20 < spent <= 20
    budgets = [receipt.offer.worst_case() for receipt in receipts[:10]]
    assert max(budgets) > 1.2 * min(budgets)  # the outer agent tries


def test_without_a_total_chiron_is_its_inner_agent() -> None:
    market = lefi.scenario("mixed", clients=6, seed=5)
    outer, inner = (list(lefi.play(lefi.make(name, market.terms, seed=3), market, 8)) for name in ("chiron", "drl"))
    for mine, theirs in zip(outer, inner, strict=True):
        np.testing.assert_array_equal(mine.offer.weight, theirs.offer.weight)


def test_the_outer_agent_goes_where_accuracy_rose() -> None:
    """Spending more was followed by rises, less by falls."""
    x = np.array([1.0, 0.2, 0.8, 0.0])
    assert uphill([(x, luck, luck) for luck in (1.0, -1.0, 0.5, -0.5, -1.0)])[0] > 0
    assert uphill([(x, luck, -luck) for luck in (1.0, -1.0, 0.5, -0.5, -1.0)])[0] < 0
