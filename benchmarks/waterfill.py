"""Share of the oracle's gain per round, noise-free, as design and docs define it; and what a round costs.

python benchmarks/waterfill.py --scenarios mixed,noisy --clients 10,100 --budgets 0.1,0.5,1 --seeds 30
python benchmarks/waterfill.py --speed 100000
"""

import argparse
import resource
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import lefi
from lefi.arrays import FloatArray
from lefi.draws import generator, key, uniform
from lefi.world.behaviours import Churn, Drift, Dropout, Jump, Noisy
from lefi.world.fleet import Fleet
from lefi.world.scenarios import SCENARIOS

CHANGING = ("drifting", "churning", "jump")
LEAST_GAIN = 5e-4  # of the oracle over the arbitrary offer, below which a share means nothing


def noise_free(fleet: Fleet) -> Fleet:
    """The fleet without wrappers that leave its noise-free answers as they are: its optimum is found faster."""
    while isinstance(fleet, Noisy | Dropout | Drift | Jump | Churn):
        fleet = fleet.fleet
    return fleet


def arbitrary(market: lefi.Market, seed: int) -> float:
    """Mean accuracy of 32 arbitrary offers, scaled once to the budget."""
    roster, budget = market.fleet.roster, market.terms.budget
    limit = np.full(len(roster), market.terms.size_high)
    found = []
    for drawn in uniform(key(seed, "arbitrary"), roster.ids, 32):
        weight = 2 * budget / len(roster) * drawn
        receipt = market.settle(1, lefi.CurveOffer(weight, roster.rate, limit), None)
        if receipt.paid > budget:
            receipt = market.settle(1, lefi.CurveOffer(weight * budget / receipt.paid, roster.rate, limit), None)
        found.append(receipt.accuracy)
    return float(np.mean(found))


def references(market: lefi.Market, seed: int) -> tuple[float, float]:
    """Accuracy of the oracle, and of arbitrary offers."""
    calm = lefi.Market(market.terms, noise_free(market.fleet))
    return lefi.oracle(calm).accuracy, arbitrary(calm, seed)


def shares(name: str, market: lefi.Market, rounds: list[int], seed: int, changing: bool) -> tuple[FloatArray, float]:
    """Noise-free share at these rounds, and the largest overspend of any round."""
    mechanism = lefi.make(name, market.terms, seed=seed)
    best, base = references(market, seed)
    found, overspend = [], 0.0
    for t in range(1, max(rounds) + 1):
        offer = mechanism.ask(market.fleet.roster)
        if t in rounds:
            best, base = references(market, seed) if changing else (best, base)
            accuracy = market.settle(t, offer, None).accuracy
            found.append((accuracy - base) / (best - base) if best - base >= LEAST_GAIN else np.nan)
        receipt = market.settle(t, offer, generator(seed, "behaviour", t))
        overspend = float(np.maximum(overspend, receipt.paid / market.terms.budget - 1))  # NaN stays
        mechanism.tell(receipt)
        market = market.after(receipt).advance(generator(seed, "advance", t))
    return np.array(found), overspend


def line(name: str, scenario: str, clients: int, budget: float, seeds: range) -> str:
    """One line of the table: medians over seeds, minima in brackets."""
    changing = scenario in CHANGING
    rounds = list(range(10, 101, 5)) if changing else [1, 2, 3, 5, 10, 20, 30]
    rows, overspend = [], 0.0
    for seed in seeds:
        market = lefi.scenario(scenario, clients=clients, budget=budget * clients, seed=seed)
        row, over = shares(name, market, rounds, seed, changing)
        rows.append([np.nanmean(row)] if changing else row)
        overspend = max(overspend, over)
    table = np.array(rows)
    heads = ["10-100"] if changing else [str(t) for t in rounds]
    cells = [f"{h}: {middle(column)}" for h, column in zip(heads, table.T, strict=True)]
    return f"{name} {scenario:9} N={clients:<4} budget={budget:<5g} {'  '.join(cells)}  overspend {overspend:.1e}"


def middle(values: FloatArray) -> str:
    """Median and minimum of the shares that mean something."""
    known = values[~np.isnan(values)]
    return f"{np.median(known):.4f} ({known.min():.3f})" if known.size else "undefined"


def timed(name: str, clients: int, rounds: int) -> tuple[FloatArray, float]:
    """Seconds of each whole round, ask to tell, on the clock and of all CPUs; and the peak memory in GiB."""
    for fleet, last in ((3000, 12), (clients, rounds)):  # the small one only to load the compiled code
        market = lefi.scenario("mixed", clients=fleet)
        marks = [(time.perf_counter(), time.process_time())]
        played = lefi.play(lefi.make(name, market.terms), market, last)
        marks.extend((time.perf_counter(), time.process_time()) for _ in played)
    return np.diff(marks, axis=0), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def speed(clients: int, repeats: int, rounds: int = 100) -> Iterable[str]:
    """Rounds of lefi and of waterfill, each in a process of its own: who comes second finds memory ready for use.

    On the clock and, in brackets, in time of all CPUs. Of repeated runs the least time of each round counts, since
    whatever else the machine does only adds to it.
    """
    times: dict[str, FloatArray] = {}
    for name in ("lefi", "waterfill") * repeats:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
            found, peak = own.submit(timed, name, clients, rounds).result()
        times[name] = np.minimum(times.get(name, np.inf), found)
        yield f"{clients:,} clients, {name}: {found[:, 0].sum():.1f} s, peak memory {peak:.1f} GiB"
    for first, last in ((1, 1), (2, 2), (3, 3), (4, 7), (8, 12), (18, 24), (30, 40), (90, 100), (1, 20), (1, 100)):
        theirs, ours = (times[name][first - 1 : last].mean(axis=0) for name in ("lefi", "waterfill"))
        ratio = ours / theirs
        told = f"lefi {theirs[0]:.3f} s, waterfill {ours[0]:.3f} s = {ratio[0]:.1f} x ({ratio[1]:.1f} x)"
        yield f"{clients:,} clients, rounds {first}-{last}: {told}"
    ratios = times["waterfill"] / times["lefi"]
    usual, worst = np.median(ratios, axis=0), int(ratios[:, 0].argmax())
    yield f"{clients:,} clients, the middle one of {rounds} rounds: {usual[0]:.1f} x ({usual[1]:.1f} x)"
    yield f"{clients:,} clients, the worst one, round {worst + 1}: {ratios[worst, 0]:.1f} x ({ratios[worst, 1]:.1f} x)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mechanism", default="waterfill")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--clients", default="10,100")
    parser.add_argument("--budgets", default="0.1,0.5,1")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--speed", type=int, default=0, help="clients of a speed run instead")
    parser.add_argument("--repeats", type=int, default=3, help="of the speed run")
    chosen = parser.parse_args()
    if chosen.speed:
        for text in speed(chosen.speed, chosen.repeats):
            print(text, flush=True)
        return
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    for scenario in chosen.scenarios.split(","):
        for clients in chosen.clients.split(","):
            for budget in chosen.budgets.split(","):
                print(line(chosen.mechanism, scenario, int(clients), float(budget), seeds), flush=True)


if __name__ == "__main__":
    main()
