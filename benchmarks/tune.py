"""Tune the mechanisms of the related work, on markets and seeds that no study plays: the best values are the defaults.

    python -m benchmarks.tune [--only knapsacks,contest] [--seeds 3]

Score: accuracy of rounds 6 to 20 as a share of what first_best reaches with the same money, mean over the markets. A
round that overspends is counted with the part of its gain that its budget pays for. A default stands unless another
value is better by more than FELT: smaller differences are chance. `schedule` and `pace` are not here: they split a
total over rounds, and accuracy that does not rise from round to round gives them nothing to plan.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

import lefi
from lefi.mechanisms.catalogue import mechanism_of, settings_of

MARKETS = (("mixed", 0.06), ("mixed", 2.0), ("noisy", 0.06), ("noisy", 2.0), ("flaky", 0.06), ("flaky", 2.0))
FIRST = 700  # seed of the first fleet: studies begin at 0 and 1000
CLIENTS, ROUNDS, LEARNING = 10, 20, 5  # rounds up to LEARNING are not judged
FELT = 0.002
GRID: dict[str, dict[str, tuple[Any, ...]]] = {
    "knapsacks": {"arms": (1, 2), "radius": (0.0003, 0.001, 0.01), "step": (0.25, 0.5, 1.0)},
    "hierarchy(waterfill)": {"step": (0.25, 0.5, 1.0)},
    "reputation(contract)": {"threshold": (0.3, 0.4, 0.5), "decay": (0.8, 0.9, 0.95)},
    "serving(price)": {"tolerance": (0.2, 0.3, 0.5)},
    "contract": {"types": (4, 8, 16), "apart": (0.01, 0.02, 0.05)},
    "bara_published": {"first": (0.005, 0.02, 0.05), "delta": (0.03, 0.1, 0.3)},
    "contest": {"prizes": ("equal", "unequal")},
}


def score(spec: str, settings: dict[str, Any], seeds: int) -> float:
    """Mean share of first_best's accuracy over markets and fleets."""
    found = []
    for (name, budget), seed in product(MARKETS, range(FIRST, FIRST + seeds)):
        market = lefi.scenario(name, clients=CLIENTS, budget=budget, seed=seed)
        market = market.taking(mechanism_of(spec).payment)
        nothing, best = market.accuracy_of(np.zeros(CLIENTS)), lefi.first_best(market).accuracy
        mechanism = lefi.make(spec, market.terms, seed=seed, **settings)
        late = list(lefi.play(mechanism, market, ROUNDS, seed))[LEARNING:]
        gains = [(one.accuracy - nothing) * min(1.0, budget / max(one.paid, 1e-12)) for one in late]
        found.append((nothing + float(np.mean(gains))) / best)
    return float(np.mean(found))


def table(names: list[str], seeds: int) -> Iterator[str]:
    """One line per mechanism: the defaults, the best of the grid, and whether the defaults stand."""
    yield "| mechanism | default | score | best of the grid | score | |\n|---|---|---|---|---|---|"
    for spec in names:
        tried = [dict(zip(GRID[spec], values, strict=True)) for values in product(*GRID[spec].values())]
        usual = {setting: settings_of(spec)[setting] for setting in GRID[spec]}
        scores = {str(settings): score(spec, settings, seeds) for settings in tried}
        now, best = scores[str(usual)], max(scores, key=lambda settings: scores[settings])
        verdict = "stands" if scores[best] - now <= FELT else "change it"
        yield f"| `{spec}` | {usual} | {now:.4f} | {best} | {scores[best]:.4f} | {verdict} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(GRID), help="some of: " + ", ".join(GRID))
    parser.add_argument("--seeds", type=int, default=3, help="fleets of each market")
    args = parser.parse_args()
    for line in table([name for name in GRID if name in args.only.split(",")], args.seeds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
