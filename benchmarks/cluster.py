"""What a round over a divided fleet costs: measured here, and from that computed for fleets that do not fit here.

    python -m benchmarks.cluster stages [--mechanisms uniform,lefi] [--clients 200000] [--rounds 6] [--warm 2]
    python -m benchmarks.cluster workers [--mechanisms waterfill] [--clients 1e6,2e6] [--workers 2] [--folder DIR]
    python -m benchmarks.cluster process [--mechanisms waterfill] [--clients 1e6]
    python -m benchmarks.cluster messages --mechanisms uniform --clients 100     (partitions of ten clients)
    python -m benchmarks.cluster         writes the tables of docs/cluster.md from docs/measured/cluster.json

Measured is CPU time, because a clock tells what else the machine did. `stages` plays in one process and tells the
stages of partitions, which grow with the fleet, from what is done once per round. `workers` plays on processes, and
tells their memory, that of the driver, and how time grows; `process` is what they are held against. The rounds from
the third on count: then machine code is loaded and every client is known.
"""

import argparse
import json
import shutil
import time
from collections.abc import Callable
from itertools import product
from math import ceil, log
from pathlib import Path
from typing import Any

import lefi
from lefi.cluster import Spec, opened, play_parts, usual_partitions
from lefi.cluster.driver import EVERY
from lefi.cluster.engines import Cluster, Here
from lefi.studies.report.markdown import markdown, marked

KEPT, PAGE = Path("docs", "measured", "cluster.json"), Path("docs", "cluster.md")
FLEETS = (10**7, 10**8, 10**9)
CORES, MEMORY = 16, 64e9  # of the machine that is reckoned with: cores, and bytes
USED = 0.5  # of its memory that states may take: a state is copied before it learns, and Parquet needs room too
MESSAGES = 8  # per partition and round: look, shared, draft, cost, settle, tell, lesson, shared
LOOKS = {"waterfill": 3}  # two messages each; others look once
ONCE = ("decide", "learn")  # stages that one worker does for all
RANKED = ("price",)  # mechanisms whose plan ranks all clients: what is done once grows with the fleet
SHORT = {"price": 0.0075}  # USD per client at which money is short; 0.5 for the paper's curve
WARM = 2  # rounds that do not count
Row = dict[str, Any]


def spent() -> float:
    """CPU seconds of this process so far."""
    return time.process_time()


def peak() -> float:
    """Most memory that this process has held, in GB."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmHWM"].split()[0]) / 1e6


class Timed(Here):
    """This process, with the CPU seconds of each stage."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        began = spent()
        result = step(*given)
        self.spent[step.__name__] = self.spent.get(step.__name__, 0.0) + spent() - began
        return result


def spec_of(mechanism: str, clients: int) -> Spec:
    return Spec(mechanism, "mixed", clients, SHORT.get(mechanism, 0.5) * clients, 60.0, 0, usual_partitions(clients))


def stages(mechanism: str, clients: int, rounds: int, warm: int, folder: Path) -> Row:
    """CPU time per client and once per round, bytes of a saved state and on disk."""
    shutil.rmtree(folder, ignore_errors=True)
    engine = Timed()
    before: dict[str, float] = {}
    for row in play_parts(spec_of(mechanism, clients), folder, engine, rounds=rounds, every=rounds - 1):
        if row["round"] == warm:
            before = engine.spent.copy()
    each = {name: (engine.spent[name] - before.get(name, 0.0)) / (rounds - warm) for name in engine.spent}
    once = sum(each[name] for name in ONCE)
    counted = [name for name in each if name not in (*ONCE, "begin", "save_state", "load_state")]
    sizes = [path.stat().st_size for path in folder.glob("state/*/part-*.pickle")]
    receipts = [path.stat().st_size for path in folder.glob("receipts/*/*.parquet")]
    shutil.rmtree(folder)
    saving = engine.spent["save_state"] + engine.spent["load_state"]
    return {
        "mechanism": mechanism, "clients": clients, "rounds": rounds, "once": once, "state": sum(sizes) / clients,
        "disk": sum(receipts) / clients / rounds, "save": 1e6 * saving / clients,
        "microseconds": 1e6 * sum(each[name] for name in counted) / clients,
    }  # fmt: skip


def workers(mechanism: str, clients: int, rounds: int, count: int, folder: Path) -> Row:
    """CPU seconds of a round over all processes, and the most memory that they held."""
    shutil.rmtree(folder, ignore_errors=True)
    with opened(f"local:{count}") as engine:
        assert isinstance(engine, Cluster)
        played = play_parts(spec_of(mechanism, clients), folder, engine, rounds=rounds)
        times = [sum(engine.client.run(spent).values()) + spent() for _ in played]
        peaks = list(engine.client.run(peak).values())
    shutil.rmtree(folder)
    each = (times[-1] - times[WARM - 1]) / (rounds - WARM)
    return {
        "mechanism": mechanism, "clients": clients, "workers": count, "cpu_seconds": each, "driver_gb": peak(),
        "workers_gb": sum(peaks),
    }  # fmt: skip


def process(mechanism: str, clients: int, rounds: int) -> Row:
    """The same of one process, without partitions and without files."""
    market = lefi.scenario("mixed", clients=clients).taking(lefi.registered()[mechanism].payment)
    played = lefi.play(lefi.make(mechanism, market.terms), market, rounds)
    times = [spent() for _ in played]
    each = (times[-1] - times[WARM - 1]) / (rounds - WARM)
    return {"mechanism": mechanism, "clients": clients, "cpu_seconds": each, "gb": peak()}


def messages(partitions: int, rounds: int, count: int, folder: Path) -> Row:
    """CPU seconds of the driver, which is the scheduler too, per message: with few clients nothing else counts."""
    shutil.rmtree(folder, ignore_errors=True)
    spec = Spec("uniform", "mixed", 10 * partitions, 5.0 * partitions, 60.0, 0, partitions)
    with opened(f"local:{count}") as engine:
        times = [spent() for _ in play_parts(spec, folder, engine, rounds=rounds)]
    shutil.rmtree(folder)
    seconds = (times[-1] - times[WARM - 1]) / (rounds - WARM) / (MESSAGES * partitions)
    return {"mechanism": "uniform", "clients": spec.clients, "partitions": partitions, "seconds": seconds}


def cost(one: Row, clients: int, message: float = 0.0) -> Row:
    """Machines that hold a fleet, and what a round takes on them; a message takes the driver so many seconds."""
    machines, partitions = ceil(clients * one["state"] / (USED * MEMORY)), usual_partitions(clients)
    once = one["once"] * (clients / one["clients"] if one["mechanism"] in RANKED else 1)
    each = 1e-6 * (one["microseconds"] + one["save"] / EVERY)
    messages = (MESSAGES + 2 * (LOOKS.get(one["mechanism"], 1) - 1)) * partitions
    return {
        "machines": machines,
        "partitions": partitions,
        "seconds": each * clients / (machines * CORES) + once + message * messages,
        "messages": messages,
        "disk": one["disk"] * clients,
    }


def stages_table(measured: Any) -> str:
    """CPU time and bytes."""
    cells = [
        [
            f"`{one['mechanism']}`", f"{one['microseconds']:.2f} us", f"{one['save']:.2f} us", f"{one['once']:.2f} s",
            f"{one['state']:.0f}", f"{one['disk']:.0f}", f"{one['clients']:,}", str(one["rounds"]),
        ]
        for one in measured["cluster"]["stages"]
    ]  # fmt: skip
    head = ["", "a round, per client", "a save, per client", "a round, once", "bytes of state", "bytes on disk a round"]
    return markdown([*head, "clients", "rounds"], cells)


def workers_table(measured: Any) -> str:
    """Worker processes: how time grows, and memory."""
    cells, before = [], dict[str, Row]()
    for one in measured["cluster"]["workers"]:
        last = before.get(one["mechanism"])
        grown = "-"
        if last is not None:
            grown = f"{log(one['cpu_seconds'] / last['cpu_seconds']) / log(one['clients'] / last['clients']):.2f}"
        before[one["mechanism"]] = one
        each = f"{1e6 * one['cpu_seconds'] / one['clients']:.2f} us", f"{1e9 * one['workers_gb'] / one['clients']:.0f}"
        cells.append(
            [f"`{one['mechanism']}`", f"{one['clients']:,}", f"{one['cpu_seconds']:.1f} s", *each,
             f"{one['driver_gb']:.2f} GB", grown]
        )  # fmt: skip
    head = ["", "clients", "CPU a round", "per client", "bytes at the peak, per client", "driver", "exponent of time"]
    return "\n\n".join([markdown(head, cells), *_against_one(measured["cluster"])])


def _against_one(kept: dict[str, list[Row]]) -> list[str]:
    """The largest fleet on workers against one process."""
    told = []
    for one in kept.get("process", []):
        rows = [row for row in kept["workers"] if row["mechanism"] == one["mechanism"]]
        if rows:
            large = max(rows, key=lambda row: row["clients"])
            time = large["cpu_seconds"] / large["clients"] * one["clients"] / one["cpu_seconds"]
            memory = (large["workers_gb"] + large["driver_gb"]) / large["clients"] * one["clients"] / one["gb"]
            told.append(
                f"Against one process with {one['clients']:,} clients ({one['cpu_seconds']:.1f} s of CPU a round, "
                f"{one['gb']:.1f} GB), `{one['mechanism']}` with {large['clients']:,} takes {time:.2f} times the CPU "
                f"and {memory:.2f} times the memory per client, and writes its receipts."
            )
    return told


def computed_table(measured: Any) -> str:
    """What rounds of larger fleets would cost."""
    cells = []
    longest = {one["mechanism"]: one for one in sorted(measured["cluster"]["stages"], key=lambda one: one["rounds"])}
    for one in longest.values():
        for clients in FLEETS:
            found = cost(one, clients, measured["cluster"]["messages"][0]["seconds"])
            cells.append(
                [
                    f"`{one['mechanism']}`", f"10^{round(log(clients, 10))}", str(found["machines"]),
                    str(found["partitions"]), f"{found['seconds']:.0f} s", f"{found['messages']:,}",
                    f"{found['disk'] / 1e9:.1f} GB",
                ]
            )  # fmt: skip
    return markdown(["", "clients", "machines", "partitions", "a round", "messages", "receipts of a round"], cells)


BLOCKS: dict[str, Callable[[Any], str]] = {
    "cluster_stages": stages_table,
    "cluster_workers": workers_table,
    "cluster_computed": computed_table,
}


def write() -> None:
    measured = {"cluster": json.loads(KEPT.read_text())}
    PAGE.write_text(marked(PAGE.read_text(), BLOCKS, measured))


def main() -> None:
    parser = argparse.ArgumentParser(description="What a round over a divided fleet costs.")
    parser.add_argument(
        "what", nargs="?", choices=["stages", "workers", "process", "messages", "write"], default="write"
    )
    parser.add_argument("--mechanisms", default="uniform,lefi,price,waterfill")
    parser.add_argument("--clients", default="200000")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--warm", type=int, default=WARM, help="rounds that do not count (stages)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("/tmp", "fleets"))
    chosen = parser.parse_args()
    kept: dict[str, list[Row]] = json.loads(KEPT.read_text()) if KEPT.exists() else {"stages": [], "workers": []}
    sizes = [int(float(text)) for text in chosen.clients.split(",")]
    for name, clients in product(chosen.mechanisms.split(","), sizes) if chosen.what != "write" else ():
        if chosen.what == "stages":
            row = stages(name, clients, chosen.rounds, chosen.warm, chosen.folder)
        elif chosen.what == "messages":
            row = messages(clients, chosen.rounds, chosen.workers, chosen.folder)
        elif chosen.what == "process":
            row = process(name, clients, chosen.rounds)
        else:
            row = workers(name, clients, chosen.rounds, chosen.workers, chosen.folder)
        rows = [old for old in kept.get(chosen.what, []) if (old["mechanism"], old["clients"]) != (name, clients)]
        kept[chosen.what] = sorted([*rows, row], key=lambda one: (one["mechanism"], one["clients"]))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
        print(json.dumps(row), flush=True)
    if chosen.what == "write":
        write()


if __name__ == "__main__":
    main()
