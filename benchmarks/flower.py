"""What the wrapper costs: a round of FedAvg with and without `Incentive`, in process, in the same run.

100 clients train the example's small network on 128 digits each; the wrapped job pays them for the same samples. Rounds
of both jobs take turns, so that other load on the machine hits both; the first rounds (greetings, compilation) are left
out. Fails where the median of the paired ratios of wall time is above --limit. CPU time is printed besides: it leaves
out the waits for the disk, but other load hardly disturbs it. The cost per client is fixed, so the ratio depends on how
long the clients train: --epochs 1 shows a light job. A large fleet, without training, in two minutes:
--clients 10000 --epochs 0 --repeats 1 --warm 0 --limit 2. Writes results/bench/flower.json, a row for each kind of job,
which `python -m benchmarks.pages` puts into docs/flower.md.
"""

import argparse
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import FedAvg, Strategy

import lefi
from lefi.arrays import FloatArray
from lefi.flower import Client, Incentive, LocalGrid, Posted

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "flower"))
from paid.data import images
from paid.net import Net, train

DIGITS = images("digits")

SAMPLES = 128
WARM = 3
OUT = Path("results/bench/flower.json")


def make_app(paid: bool, epochs: int) -> ClientApp:
    """The same training, with lefi's three lines or without."""
    app = ClientApp()

    def everything(_: Posted, __: Context) -> float:
        return SAMPLES / 1000

    client = Client(app, everything) if paid else None

    @app.train(mods=[client.mod] if client else [])
    def step(message: Message, context: Context) -> Message:
        mine = np.random.default_rng(int(context.node_config["partition-id"])).integers(0, len(DIGITS.y), SAMPLES)
        used = mine[client.indices(SAMPLES, message, context)] if client else mine
        net = Net(1, 8)
        net.load_state_dict(message.content.array_records["arrays"].to_torch_state_dict())
        if epochs:
            train(net, DIGITS.x[used], DIGITS.y[used], epochs, seed=0)
        metrics = MetricRecord({"num-examples": len(used)})
        return Message(RecordDict({"arrays": ArrayRecord(net.state_dict()), "metrics": metrics}), reply_to=message)

    return app


def rounds(strategy: Strategy, grid: LocalGrid) -> Iterator[tuple[float, float]]:
    """Seconds of each round of Flower's loop: wall time, CPU time."""
    arrays = ArrayRecord(Net(1, 8).state_dict())
    for round in range(1, sys.maxsize):
        began, used = time.perf_counter(), time.process_time()
        messages = strategy.configure_train(round, arrays, ConfigRecord(), grid)
        new, _ = strategy.aggregate_train(round, grid.send_and_receive(messages))
        assert new is not None
        arrays = new
        yield time.perf_counter() - began, time.process_time() - used


def measure(clients: int, epochs: int, repeats: int, warm: int, folder: Path) -> FloatArray:
    """Seconds (rounds, bare or wrapped, wall or CPU)."""
    terms = lefi.Terms(budget=0.5 * clients, accuracy=lefi.accuracy("paper"), size_high=1.0)
    bare = rounds(FedAvg(fraction_evaluate=0.0), LocalGrid(make_app(False, epochs), clients))
    incentive = Incentive(FedAvg(fraction_evaluate=0.0), "waterfill", terms=terms, ledger=folder / "ledger.db")
    wrapped = rounds(incentive, LocalGrid(make_app(True, epochs), clients))
    pairs = list(islice(zip(bare, wrapped, strict=True), warm + repeats))[warm:]
    assert incentive.settled == warm + repeats
    receipts = list(incentive.ledger.receipts())
    assert all(len(receipt.sizes) == clients and np.isfinite(receipt.sizes).all() for receipt in receipts)
    return np.array(pairs)


def told(seconds: FloatArray, clients: int) -> dict[str, dict[str, Any]]:
    """By clock: seconds of a round, bare and wrapped, their ratio with its quartiles, and what each client adds."""
    ratios, found = seconds[:, 1] / seconds[:, 0], {}
    for at, clock in enumerate(("wall", "CPU")):
        bare, wrapped = np.median(seconds[:, :, at], axis=0).tolist()
        ratio = np.quantile(ratios[:, at], (0.5, 0.25, 0.75)).tolist()
        each = float(np.median(seconds[:, 1, at] - seconds[:, 0, at])) / clients
        found[clock] = {"bare": bare, "wrapped": wrapped, "ratio": ratio, "each": each}
    return found


def keep(one: dict[str, Any]) -> None:
    """Put a job into the file in the place of one of the same kind."""
    kind = itemgetter("clients", "epochs")
    others = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else []
    kept = sorted([*(other for other in others if kind(other) != kind(one)), one], key=kind)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--warm", type=int, default=WARM, help="first rounds that are left out")
    parser.add_argument("--limit", type=float, default=1.05)
    chosen = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        seconds = measure(chosen.clients, chosen.epochs, chosen.repeats, chosen.warm, Path(folder))
    found = told(seconds, chosen.clients)
    for clock, one in found.items():
        print(f"{clock}: bare {one['bare']:.3f} s, wrapped {one['wrapped']:.3f} s, ", end="")
        print("ratio {:.3f} (quartiles {:.3f}..{:.3f}), ".format(*one["ratio"]), end="")
        print(f"{1000 * one['each']:.2f} ms more per client")
    keep({"clients": chosen.clients, "epochs": chosen.epochs, "rounds": len(seconds), **found})
    if found["wall"]["ratio"][0] > chosen.limit:
        sys.exit(f"wrapping costs more than {chosen.limit - 1:.0%} of wall time")


if __name__ == "__main__":
    main()
