"""The mechanism `price` against its bounds: first_best, the best single price in hindsight, the curve with 5 USD.

    python -m benchmarks.price [--scenarios paper,reluctant] [--clients 10] [--seeds 30] [--flat 30]

Budgets are for 10 clients and grow with the fleet. Share: of first_best's gain over size 0, noise-free, in round 30.
"""

import argparse
from dataclasses import dataclass

import numpy as np

import lefi
from lefi.arrays import FloatArray

SHARED = (0.03, 0.06)  # budgets at which the share of first_best's gain counts
GOALS = {0.10: 20, 0.075: 50}  # budget -> round in which it should reach what the curve's oracle gets from 5 USD
ROUND, ROUNDS = 30, 50


@dataclass(frozen=True, eq=False)
class Trial:
    """One fleet: accuracy per round, of first_best, of nothing; worst case of any round as a share of the budget."""

    market: lefi.Market
    accuracy: FloatArray
    best: float
    nothing: float
    worst: float

    def share(self, accuracy: float) -> float:
        return (accuracy - self.nothing) / (self.best - self.nothing)


def trial(scenario: str, clients: int, seed: int, budget: float) -> Trial:
    market = lefi.scenario(scenario, clients=clients, seed=seed, budget=budget * clients / 10, payment="price")
    found, worst = [], 0.0
    for receipt in lefi.play(lefi.make("price", market.terms, seed=seed), market, ROUNDS, seed):
        found.append(market.accuracy_of(market.admit(market.fleet.respond(receipt.offer, None))))
        worst = max(worst, receipt.offer.worst_case() / market.terms.budget)
    nothing = market.accuracy_of(np.zeros(clients))
    return Trial(market, np.array(found), lefi.first_best(market).accuracy, nothing, worst)


def told_share(trials: list[Trial], flats: int) -> str:
    shares = np.array([one.share(one.accuracy[ROUND - 1]) for one in trials])
    flat = np.array([one.share(lefi.flat_best(one.market).accuracy) for one in trials[:flats]])
    text = (
        f"median {np.median(shares):.4f}, least {shares.min():.4f}, {(shares >= 0.98).sum()} of {len(trials)} at 0.98"
    )
    ahead = int((shares[:flats] > flat).sum())
    return f"{text}; flat {np.median(flat):.3f}, ahead of it in {ahead} of {flat.size}" if flat.size else text


def told_goal(trials: list[Trial], curve: list[float], round: int) -> str:
    able = [(one, goal) for one, goal in zip(trials, curve, strict=True) if one.best >= goal]
    reached = sum(bool(one.accuracy[round - 1] >= goal - 1e-9) for one, goal in able)
    return f"in round {round} as good as the curve with 5 USD in {reached} of {len(able)} fleets where first_best is"


def report(scenario: str, clients: int, seeds: int, flats: int) -> None:
    curve = [lefi.oracle(lefi.scenario(scenario, clients=clients, seed=seed)).accuracy for seed in range(seeds)]
    worst = 0.0
    for budget in (*SHARED, *GOALS):
        trials = [trial(scenario, clients, seed, budget) for seed in range(seeds)]
        worst = max(worst, *(one.worst for one in trials))
        text = told_goal(trials, curve, GOALS[budget]) if budget in GOALS else told_share(trials, flats)
        print(f"{scenario}, {clients} clients, {budget:g} USD: {text}", flush=True)
    print(f"{scenario}, {clients} clients: at worst {worst:.9f} of the budget", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", default="paper,capped,mixed,reluctant")
    parser.add_argument("--clients", default="10")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--flat", type=int, default=10, help="seeds for which the best single price is searched")
    chosen = parser.parse_args()
    for clients in chosen.clients.split(","):
        for scenario in chosen.scenarios.split(","):
            report(scenario, int(clients), chosen.seeds, chosen.flat)


if __name__ == "__main__":
    main()
