"""Clients that no scenario knows: other curves, heavy-tailed prices, a third of the fleet dead, few and many."""

from collections.abc import Callable

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.allocation import allocate
from lefi.messages import Offer

Shape = Callable[[FloatArray], FloatArray]
SHAPES: dict[str, Shape] = {
    "root": lambda z: np.minimum(np.sqrt(z), 1),
    "linear": lambda z: np.minimum(z, 1),
    "step": lambda z: np.asarray(z >= 1, dtype=float),
}


class Curves:
    """Clients that deliver cap f(K / scale), where K is what full delivery would earn."""

    def __init__(self, roster: lefi.Roster, cap: FloatArray, scale: FloatArray, shape: Shape) -> None:
        self.roster, self.cap, self.scale, self.shape = roster, cap, scale, shape

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        assert isinstance(offer, lefi.CurveOffer)
        return np.minimum(self.cap * self.shape(offer.payment(self.cap) / self.scale), offer.limit)

    def advance(self, rng: np.random.Generator) -> "Curves":
        return self


def fleet(shape: str, clients: int, seed: int, kind: str) -> Curves:
    rng = np.random.default_rng(seed)
    rate = rng.uniform(0.05, 3.0, clients) if kind == "rates" else rng.uniform(0.4, 1.1, clients)
    roster = lefi.Roster(np.arange(clients), iid=rng.random(clients), rate=rate)
    scale = 0.05 * np.exp(1.2 * rng.standard_normal(clients)) if kind == "heavy" else rng.uniform(0.05, 0.5, clients)
    scale[: clients // 3 if kind == "dead" else 0] = 1e12
    return Curves(roster, rng.uniform(1, 10, clients), scale, SHAPES[shape])


def best_within_the_worst_case(curves: Curves, terms: lefi.Terms) -> float:
    """The largest accuracy under sum worst_case <= budget: with a limit below the cap K is the worst case itself."""
    z = np.concatenate([[0.0], np.geomspace(1e-4, 1, 600)])
    size, cost = curves.cap[:, None] * curves.shape(z), curves.scale[:, None] * z
    gain = terms.accuracy(size, curves.roster.iid[:, None])
    pick, _ = allocate(gain, cost, terms.budget, attempts=8)
    return float(gain[np.arange(len(pick)), pick].mean())


@pytest.mark.parametrize("kind", ["plain", "heavy", "dead", "rates"])
@pytest.mark.parametrize(("shape", "least"), [("root", 0.93), ("linear", 0.95), ("step", 0.75)])
def test_other_clients_are_learned_too(shape: str, least: float, kind: str) -> None:
    shares = []
    for seed in range(3):
        curves = fleet(shape, 60, seed, kind)
        terms = lefi.Terms(60 * 0.1, lefi.accuracy("paper"))
        market = lefi.Market(terms, curves)
        nothing = float(terms.accuracy(np.zeros(60), curves.roster.iid).mean())
        receipts = list(lefi.play(lefi.make("waterfill", terms), market, 25))
        assert all(receipt.paid <= terms.budget for receipt in receipts)
        shares.append((receipts[-1].accuracy - nothing) / (best_within_the_worst_case(curves, terms) - nothing))
    assert np.median(shares) > least, shares


@pytest.mark.parametrize("clients", [1, 3])
@pytest.mark.parametrize("budget", [0.01, 1000.0])
def test_few_clients_and_any_budget(clients: int, budget: float) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=budget * clients, seed=2)
    best = lefi.oracle(market)
    receipts = list(lefi.play(lefi.make("waterfill", market.terms), market, 25))
    assert all(receipt.paid <= market.terms.budget for receipt in receipts)
    nothing = float(market.accuracy_of(np.zeros(clients)))
    assert receipts[-1].accuracy - nothing > 0.93 * (best.accuracy - nothing)
