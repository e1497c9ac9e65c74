"""The mechanism `price` against its bounds: first_best, the best single price in hindsight, the curve with 5 USD.

    python -m benchmarks.price [--scenarios paper,reluctant] [--clients 10,100] [--seeds 30] [--flat 10]
    python -m benchmarks.pages results/bench   puts its table into docs/shape.md

Budgets are for 10 clients and grow with the fleet. Share: of first_best's gain over size 0, noise-free, in round 30.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lefi
from lefi.arrays import FloatArray

SHARED = (0.03, 0.06)  # budgets at which the share of first_best's gain counts
GOALS = {0.10: 20, 0.075: 50}  # budget -> round in which it should reach what the curve's oracle gets from 5 USD
ROUND, ROUNDS = 30, 50
FIRST = 41_000  # seeds from here on: none of them was looked at while `price` was made


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


def shares(trials: list[Trial], flats: int) -> tuple[float, float, float, int]:
    """Of first_best's gain in round 30: median, least, the best single price's median, fleets of at least 0.98."""
    found = np.array([one.share(one.accuracy[ROUND - 1]) for one in trials])
    flat = np.array([one.share(lefi.flat_best(one.market).accuracy) for one in trials[:flats]])
    return float(np.median(found)), float(found.min()), float(np.median(flat)), int((found >= 0.98).sum())


def reached(trials: list[Trial], curve: list[float], round: int) -> tuple[int, int]:
    """Fleets in which it is by this round as good as the curve with 5 USD, of those in which first_best is."""
    able = [(one, goal) for one, goal in zip(trials, curve, strict=True) if one.best >= goal]
    return sum(bool(one.accuracy[round - 1] >= goal - 1e-9) for one, goal in able), len(able)


def measure(scenario: str, clients: int, seeds: range, flats: int) -> dict[str, Any]:
    curve = [lefi.oracle(lefi.scenario(scenario, clients=clients, seed=seed)).accuracy for seed in seeds]
    row: dict[str, Any] = {"scenario": scenario, "clients": clients, "shares": {}, "goals": {}, "worst": 0.0}
    for budget in (*SHARED, *GOALS):
        trials = [trial(scenario, clients, seed, budget) for seed in seeds]
        row["worst"] = max(row["worst"], *(one.worst for one in trials))
        if budget in GOALS:
            row["goals"][str(budget)] = reached(trials, curve, GOALS[budget])
        else:
            row["shares"][str(budget)] = shares(trials, flats)
        print(f"{scenario}, {clients} clients, {budget:g} USD: done", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", default="paper,capped,mixed,reluctant")
    parser.add_argument("--clients", default="10,100")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--flat", type=int, default=10, help="seeds for which the best single price is searched")
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    chosen = parser.parse_args()
    rows = [
        measure(scenario, int(clients), range(FIRST, FIRST + chosen.seeds), chosen.flat)
        for clients in chosen.clients.split(",")
        for scenario in chosen.scenarios.split(",")
    ]
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "price.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"at worst {max(row['worst'] for row in rows):.9f} of the budget; wrote {chosen.out / 'price.json'}")


if __name__ == "__main__":
    main()
