"""A job that never ends: what a mechanism holds and how long a round takes while clients come and go.

    python -m benchmarks.forever waterfill [--rounds 100000] [--clients 1000] [--folder /tmp/forever]
    python -m benchmarks.forever    writes the table of docs/cluster.md from docs/measured/forever.json

The fleet is the scenario `churning`: 5% of the clients are replaced in every round. One mechanism in a process, whose
memory is told at round 1,000 and at the end. Time drifts over hours with what else the machine does. So the job is kept
at both marks, and when all is played, both go on for some rounds in turn: the ratio of their CPU time is that of ask
and tell, block by block.
"""

import argparse
import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import lefi
from lefi.arrays import FloatArray
from lefi.draws import generator
from lefi.studies.judge.marks import judge_round, marks
from lefi.studies.report.markdown import markdown, marked

KEPT, PAGE = Path("docs", "measured", "forever.json"), Path("docs", "cluster.md")
EARLY = 1000  # round of the first mark
STUDIED = 100  # rounds that the studies play of this scenario
EVERY = 1000  # rounds between two lines of progress
JUDGED = 5  # rounds before a mark or a line that are judged: to find the optimum takes longer than a round
BLOCKS, BLOCK = 15, 20  # further rounds of both jobs: blocks in turn, and rounds of a block


class Job:
    """A mechanism and its clients between two rounds."""

    def __init__(self, name: str, clients: int, seed: int = 0) -> None:
        self.market = lefi.scenario("churning", clients=clients, seed=seed).taking(lefi.registered()[name].payment)
        self.mechanism = lefi.make(name, self.market.terms, seed=seed)
        self.seed, self.round, self.seconds, self.overspend = seed, 0, 0.0, 0.0

    def play(self, judged: bool = False) -> float:
        """One round; its share of the gain that is possible, where it is judged."""
        self.round += 1
        market, began = self.market, time.process_time()
        offer = self.mechanism.ask(market.fleet.roster)
        self.seconds += time.process_time() - began
        receipt = market.settle(self.round, offer, generator(self.seed, "behaviour", self.round))
        self.overspend = max(self.overspend, receipt.paid / market.terms.budget - 1)
        began = time.process_time()
        self.mechanism.tell(receipt)
        self.seconds += time.process_time() - began
        self.market = market.after(receipt).advance(generator(self.seed, "advance", self.round))
        if not judged:
            return np.nan
        curve = market.terms.payment == "curve"
        return marks(market, self.seed, not curve).share(judge_round(market, receipt)[1], curve)

    def mark(self, path: Path) -> dict[str, float]:
        """Keep the job there; what it holds [MB]."""
        now = resident()
        path.write_bytes(pickle.dumps(self, protocol=5))
        return {"resident": now, "held": len(pickle.dumps(self.mechanism, protocol=5)) / 1e6}


def resident() -> float:
    """MB that this process has now."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmRSS"].split()[0]) / 1e3


def played(name: str, clients: int, rounds: int, folder: Path) -> dict[str, Any]:
    """The whole job, and what came of it."""
    job, shares = Job(name, clients), dict[int, list[float]]()
    places = {EARLY: folder / f"{name}_early.pickle", rounds: folder / f"{name}_late.pickle"}
    found, ends = dict[int, dict[str, float]](), {STUDIED, EARLY, rounds, *range(EVERY, rounds, EVERY)}
    for t in range(1, rounds + 1):
        end = next((end for end in range(t, t + JUDGED) if end in ends), None)
        share = job.play(end is not None)
        if end is not None:
            shares.setdefault(end, []).append(share)
        if t in places:
            found[t] = job.mark(places[t])
        if t in ends:
            print(
                name,
                t,
                f"{job.seconds / t * 1e3:.2f} ms, {resident():.1f} MB, share {np.mean(shares[t]):.4f}",
                flush=True,
            )
    late = [share for end in sorted(shares)[-max(1, len(shares) // 10) :] for share in shares[end]]
    early, last = (pickle.loads(path.read_bytes()) for path in places.values())
    return {
        "mechanism": name, "clients": clients, "rounds": rounds, "came": int(job.market.fleet.roster.ids.max()) + 1,
        "early": found[EARLY], "late": found[rounds], "overspend": job.overspend, **raced(early, last),
        "share": [float(np.mean(part)) for part in (shares[STUDIED], shares[EARLY], late)],
    }  # fmt: skip


def raced(early: Job, late: Job) -> dict[str, list[float]]:
    """CPU milliseconds of a round of both, and their ratio with its 95% interval."""
    took = np.array([[block(job) for job in (early, late)] for _ in range(BLOCKS)])
    return {"milliseconds": [float(each) for each in 1e3 * took.mean(axis=0)], "ratio": interval(took)}


def block(job: Job) -> float:
    """CPU seconds of a round, over some."""
    before = job.seconds
    for _ in range(BLOCK):
        job.play()
    return (job.seconds - before) / BLOCK


def interval(took: FloatArray) -> list[float]:
    """The ratio of the second column to the first, by pairs: middle, and 95% interval by Student's t for its log."""
    logs = np.log(took[:, 1] / took[:, 0])
    room = float(stats.t.ppf(0.975, logs.size - 1)) * logs.std(ddof=1) / np.sqrt(logs.size)
    return [float(np.exp(logs.mean() + way * room)) for way in (0, -1, 1)]


def table(measured: Any) -> str:
    """Memory, time and share at both marks."""
    cells = [
        [
            f"`{one['mechanism']}`", f"{one['rounds']:,}", f"{one['came']:,}",
            *(f"{one[mark]['resident']:.0f} MB" for mark in ("early", "late")),
            f"{one['late']['resident'] / one['early']['resident']:.3f}",
            *(f"{each:.2f} ms" for each in one["milliseconds"]), "{:.3f} [{:.3f}, {:.3f}]".format(*one["ratio"]),
            *(f"{share:.3f}" for share in one["share"]), f"{one['overspend']:.1%}",
        ]
        for one in measured["forever"]
    ]  # fmt: skip
    head = ["", "rounds", "clients that came", "memory at round 1,000", "at the end", "ratio"]
    head += ["CPU of a round then", "at the end", "ratio with its 95% interval"]
    return markdown([*head, "share by round 100", "by round 1,000", "at the end", "largest overspend"], cells)


TABLES: dict[str, Callable[[Any], str]] = {"forever": table}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a mechanism holds while clients come and go.")
    parser.add_argument("mechanism", nargs="?", help="left out: write the table")
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument(
        "--folder", type=Path, default=Path("/tmp", "forever"), help="where the job is kept at the marks"
    )
    chosen = parser.parse_args()
    kept: list[dict[str, Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else []
    if chosen.mechanism:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        row = played(chosen.mechanism, chosen.clients, chosen.rounds, chosen.folder)
        others = [one for one in kept if one["mechanism"] != chosen.mechanism]
        KEPT.write_text(json.dumps(sorted([*others, row], key=lambda one: one["mechanism"]), indent=1) + "\n")
        print(json.dumps(row), flush=True)
    else:
        PAGE.write_text(marked(PAGE.read_text(), TABLES, {"forever": kept}))


if __name__ == "__main__":
    main()
