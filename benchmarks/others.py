"""Waterfill with clients that no scenario knows, against the best that keeps the worst case within the budget.

    python -m benchmarks.others [--clients 60] [--budget 0.1] [--seeds 6] [--first 0] [--rounds 20] [--shapes step,cube]
        [--mechanism waterfill]

Clients deliver cap f(K / scale), where K is what full delivery would earn. Shares are of the gain that the oracle has
over arbitrary weights; "possible" is the share of the best offers with sum worst_case <= budget.
"""

import argparse
from collections.abc import Callable

import numpy as np

import lefi
from benchmarks.waterfill import arbitrary
from lefi.allocation import allocate
from lefi.arrays import FloatArray
from lefi.messages import Offer

Shape = Callable[[FloatArray], FloatArray]
SHAPES: dict[str, Shape] = {
    "root": lambda z: np.minimum(np.sqrt(z), 1),
    "linear": lambda z: np.minimum(z, 1),
    "step": lambda z: np.asarray(z >= 1, dtype=float),
    "square": lambda z: np.minimum(z * z, 1),
    "two steps": lambda z: np.where(z >= 1, 1.0, np.where(z >= 0.4, 0.5, 0.0)),
    "logistic": lambda z: np.asarray(1 / (1 + np.exp(-6 * (z - 0.6)))),
    "three steps": lambda z: np.where(z >= 1, 1.0, np.where(z >= 0.4, 0.7, np.where(z >= 0.15, 0.3, 0.0))),
    "cube": lambda z: np.minimum(z**3, 1),
    "power 0.7": lambda z: np.minimum(z**0.7, 1),
    "saturating": lambda z: z / (1 + z),
}
KINDS = ("plain", "heavy", "dead", "rates")  # prices with heavy tails; a third of the fleet dead; rates far apart


class Curves:
    """Clients with a curve, a cap and a scale of money of their own."""

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
    z = np.sort(np.concatenate([[0.0, 0.15, 0.4, 1.0], np.geomspace(1e-4, 30, 900)]))  # with the edges of the steps
    size, cost = curves.cap[:, None] * curves.shape(z), curves.scale[:, None] * z
    gain = terms.accuracy(size, curves.roster.iid[:, None])
    pick, _ = allocate(gain, cost, terms.budget, attempts=8)
    return float(gain[np.arange(len(pick)), pick].mean())


def shares(
    shape: str, kind: str, clients: int, budget: float, rounds: int, seed: int, name: str = "waterfill"
) -> tuple[float, float]:
    """Share in the last round, and the share that is possible."""
    curves, terms = fleet(shape, clients, seed, kind), lefi.Terms(clients * budget, lefi.accuracy("paper"))
    market = lefi.Market(terms, curves)
    *_, last = lefi.play(lefi.make(name, terms), market, rounds)
    base = arbitrary(market, seed)
    gain = lefi.oracle(market).accuracy - base
    return (last.accuracy - base) / gain, (best_within_the_worst_case(curves, terms) - base) / gain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=60)
    parser.add_argument("--budget", type=float, default=0.1, help="USD per client")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--mechanism", default="waterfill")
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    for shape in chosen.shapes.split(","):
        for kind in KINDS:
            about = shape, kind, chosen.clients, chosen.budget, chosen.rounds
            rows = [shares(*about, seed, chosen.mechanism) for seed in seeds]
            reached, possible = np.median(rows, axis=0)
            print(f"{shape:11} {kind:6} share {reached:.3f}, possible {possible:.3f}", flush=True)


if __name__ == "__main__":
    main()
