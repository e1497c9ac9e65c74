"""What the wrapper costs: a round of FedAvg with and without `Incentive`, in process, in the same run.

100 clients train the example's small network on 128 digits each; the wrapped job pays them for the same samples. Rounds
of both jobs take turns, so that other load on the machine hits both; the first rounds (greetings, compilation) are left
out. Fails where the median of the paired ratios of wall time is above --limit. CPU time is printed besides: it leaves
out the waits for the disk, but other load hardly disturbs it. The cost per client is fixed, so the ratio depends on how
long the clients train: --epochs 1 shows a light job. A large fleet, without training, in two minutes:
--clients 10000 --epochs 0 --repeats 1 --warm 0 --limit 2.
"""

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

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
    ratios = seconds[:, 1] / seconds[:, 0]
    for at, clock in enumerate(("wall", "CPU")):
        bare, wrapped = np.median(seconds[:, :, at], axis=0)
        low, middle, high = np.quantile(ratios[:, at], (0.25, 0.5, 0.75))
        each = 1000 * float(np.median(seconds[:, 1, at] - seconds[:, 0, at])) / chosen.clients
        print(f"{clock}: bare {bare:.3f} s, wrapped {wrapped:.3f} s, {each:.2f} ms more per client, ", end="")
        print(f"ratio {middle:.3f} (quartiles {low:.3f}..{high:.3f})")
    if np.median(ratios[:, 0]) > chosen.limit:
        sys.exit(f"wrapping costs more than {chosen.limit - 1:.0%} of wall time")


if __name__ == "__main__":
    main()
