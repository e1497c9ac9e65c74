"""What the service costs: rounds per second over HTTP beside `play` in process, and how long reads wait meanwhile.

The service is a process of its own on an SQLite file; a game over HTTP and the same game in process take turns, so that
other load on the machine hits both. 100 and 100,000 clients per job, 20 jobs at once with reads beside them. Writes
results/bench/serve.json. CPU seconds are those of the service: other load hardly disturbs them. --quick leaves out the
large fleet.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import lefi
from lefi.messages import Receipt
from lefi.remote import Connection, Remote
from lefi.world.market import Market

PORT = 8477
URL = f"http://127.0.0.1:{PORT}"
OUT = Path("results/bench/serve.json")


@contextmanager
def service(folder: str) -> Iterator[int]:
    """The command itself, as a user starts it; its process."""
    command = [sys.executable, "-c", "from lefi.cli import app; app()", "serve", "--ledger", f"{folder}/ledger.db"]
    options = ["--port", str(PORT), "--requests", "100000"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)
    try:
        Connection(URL, None, patience=120).call("GET", "/v1/jobs")
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def cpu(process: int) -> float:
    """CPU seconds that a process has used, all threads together."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def market_of(name: str, clients: int) -> Market:
    return lefi.scenario("mixed", clients=clients, seed=1).taking(lefi.registered()[name].payment)


class Server:
    """An FL server that uses the service as it is meant: open a round, answer it; two requests."""

    def __init__(self, job: str, name: str, clients: int) -> None:
        self.market, self.job, self.round = market_of(name, clients), job, 0
        remote = Remote.create(URL, None, job, terms=self.market.terms, mechanism=name, seed=1)
        self.line, self.path = remote.connection, remote.path
        roster = self.market.fleet.roster
        self.roster: dict[str, Any] = {"iid": roster.iid.tolist(), "rate": roster.rate.tolist()}
        self.roster["clients"] = [str(id) for id in roster.ids.tolist()]

    def play(self) -> None:
        self.round += 1
        told = self.line.call("PUT", f"{self.path}/rounds/{self.round}", self.roster)
        columns = {name: np.array(values) for name, values in told["offer"]["columns"].items()}
        kind = lefi.PriceOffer if told["offer"]["kind"] == "price" else lefi.CurveOffer
        offer = kind.from_columns(columns, self.market.fleet.roster.rate)
        sizes = self.market.fleet.respond(offer, None).tolist()
        self.line.call("POST", f"{self.path}/rounds/{self.round}/answers", {"sizes": sizes})


def paired(process: int, name: str, clients: int, rounds: int) -> dict[str, float]:
    """Seconds per round over HTTP and in process, by turns; the first round of each is left out."""
    market = market_of(name, clients)
    game: Iterator[Receipt] = lefi.play(lefi.make(name, market.terms, seed=1), market, rounds + 1, seed=1)
    over = Server(f"{name}-{clients}", name, clients)
    over.play()
    next(game)
    there, here, used = [], [], cpu(process)
    for _ in range(rounds):
        start = time.perf_counter()
        over.play()
        middle = time.perf_counter()
        next(game)
        there.append(middle - start)
        here.append(time.perf_counter() - middle)
    return {
        "rounds_per_second": 1 / statistics.median(there),
        "in_process_rounds_per_second": 1 / statistics.median(here),
        "cost_over_in_process": statistics.median(there) / statistics.median(here),
        "seconds_per_round": statistics.median(there),
        "cpu_seconds_per_round": (cpu(process) - used) / rounds,
    }


def crowd(process: int, jobs: int, clients: int, seconds: float) -> dict[str, float]:
    """Many jobs at once, and a reader beside them."""
    servers = [Server(f"crowd-{number}", "price", clients) for number in range(jobs)]
    over, waits = threading.Event(), list[float]()

    def work(server: Server) -> None:
        while not over.is_set():
            server.play()

    threads = [threading.Thread(target=work, args=(server,)) for server in servers]
    line, used = Connection(URL, None), cpu(process)
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    while time.perf_counter() - start < seconds:
        began = time.perf_counter()
        line.call("GET", f"/v1/jobs/crowd-{len(waits) % jobs}")
        waits.append(time.perf_counter() - began)
        time.sleep(0.02)
    over.set()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    median, worst = np.quantile(waits, [0.5, 0.99])
    rounds = sum(server.round for server in servers)
    slowest = min(server.round for server in servers)
    return {
        "rounds_per_second": rounds / took,
        "rounds_of_the_slowest_job": slowest,
        "cpu_seconds_per_round": (cpu(process) - used) / rounds,
        "read_median_seconds": float(median),
        "read_p99_seconds": float(worst),
        "reads": len(waits),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    told: dict[str, Any] = {"cores": os.cpu_count(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder, service(folder) as process:
        for name, clients, rounds in (("price", 100, 30), ("waterfill", 100, 30), ("price", 100_000, 1)):
            if not (quick and clients > 1000):
                told[f"{name}, {clients} clients"] = paired(process, name, clients, rounds)
        told["20 jobs of 100 clients at once"] = crowd(process, 20, 100, 5 if quick else 15)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(told, indent=1))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
