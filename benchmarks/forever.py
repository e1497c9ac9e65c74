"""A job that never ends: what mechanisms hold and how long a round takes while clients come and go.

    python -m benchmarks.forever [--mechanisms lefi,price] [--rounds 100000] [--clients 1000] [--every 1000]
        [--into results/forever.csv]

The fleet is the scenario `churning`: 5% of the clients are replaced in every round. Of every thousand rounds a line
tells the CPU time of ask and tell per round, the memory of the process and of the mechanism alone, the clients that
came so far, the share of the gain that is possible, in its last rounds, and the largest overspend. At the end the last
tenth is held against the second thousand.
"""

import argparse
import csv
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lefi
from lefi.draws import generator
from lefi.studies.judge.marks import judge_round, marks

JUDGED = 5  # rounds at the end of a line that are judged: to find the optimum takes longer than a round


class Line(NamedTuple):
    """Of some rounds."""

    mechanism: str
    round: int  # the last of them
    milliseconds: float  # CPU time of ask and tell, per round
    resident: float  # MB of the process
    held: float  # MB of the mechanism, as a pickle
    came: int  # clients so far
    share: float
    overspend: float


def lines(name: str, clients: int, rounds: int, every: int, seed: int = 0) -> Iterator[Line]:
    market = lefi.scenario("churning", clients=clients, seed=seed).taking(lefi.registered()[name].payment)
    mechanism = lefi.make(name, market.terms, seed=seed)
    took, shares, over = 0.0, list[float](), 0.0
    for t in range(1, rounds + 1):
        began = time.process_time()
        offer = mechanism.ask(market.fleet.roster)
        took += time.process_time() - began
        receipt = market.settle(t, offer, generator(seed, "behaviour", t))
        if t % every > every - JUDGED or t % every == 0:
            curve = market.terms.payment == "curve"
            shares.append(marks(market, seed, not curve).share(judge_round(market, receipt)[1], curve))
        over = max(over, receipt.paid / market.terms.budget - 1)
        began = time.process_time()
        mechanism.tell(receipt)
        took += time.process_time() - began
        market = market.after(receipt).advance(generator(seed, "advance", t))
        if t % every == 0:
            came = int(market.fleet.roster.ids.max()) + 1
            held = len(pickle.dumps(mechanism, protocol=5)) / 1e6
            yield Line(name, t, 1e3 * took / every, resident(), held, came, float(np.mean(shares)), over)
            took, shares = 0.0, []


def resident() -> float:
    """MB that this process has now."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmRSS"].split()[0]) / 1e3


def verdict(told: list[Line]) -> str:
    """The last tenth of the lines against the second one."""
    early, late = told[1], told[-max(1, len(told) // 10) :]
    ratios = {
        part: float(np.mean([getattr(line, part) for line in late])) / getattr(early, part)
        for part in ("milliseconds", "resident", "held", "share")
    }
    words = ", ".join(f"{part} x {ratio:.3f}" for part, ratio in ratios.items())
    return f"{early.mechanism}: after round {told[-1].round} against round {early.round}: {words}"


def main() -> None:
    parser = argparse.ArgumentParser(description="What mechanisms hold while clients come and go.")
    parser.add_argument("--mechanisms", default="lefi,price,waterfill")
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--every", type=int, default=1000)
    parser.add_argument("--into", type=Path, default=Path("results", "forever.csv"))
    chosen = parser.parse_args()
    chosen.into.parent.mkdir(parents=True, exist_ok=True)
    with chosen.into.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(Line._fields)
        for name in chosen.mechanisms.split(","):
            told = []
            for line in lines(name, chosen.clients, chosen.rounds, chosen.every):
                told.append(line)
                table.writerow(line)
                file.flush()
            print(verdict(told), flush=True)


if __name__ == "__main__":
    main()
