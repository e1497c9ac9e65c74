"""What the wrapper costs: a round of FedAvg with and without `Incentive`, in process, in the same run.

100 clients train the example's small network on 128 digits each for 5 epochs; the wrapped job pays them for the same
samples. Rounds of both jobs take turns, so that other load on the machine hits both; the first rounds (greetings,
compilation) are left out. Prints the medians and the median ratio, and fails above --limit.
"""

import argparse
import logging
import statistics
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
from lefi.flower import Client, Incentive, LocalGrid, Posted

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "flower"))
from paid.data import images
from paid.net import Net, train

DIGITS = images("digits")

SAMPLES, EPOCHS = 128, 5
WARM = 3


def make_app(paid: bool) -> ClientApp:
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
        train(net, DIGITS.x[used], DIGITS.y[used], EPOCHS, seed=0)
        metrics = MetricRecord({"num-examples": len(used)})
        return Message(RecordDict({"arrays": ArrayRecord(net.state_dict()), "metrics": metrics}), reply_to=message)

    return app


def rounds(strategy: Strategy, grid: LocalGrid) -> Iterator[float]:
    """Seconds of each round of Flower's loop."""
    arrays = ArrayRecord(Net(1, 8).state_dict())
    for round in range(1, sys.maxsize):
        began = time.perf_counter()
        messages = strategy.configure_train(round, arrays, ConfigRecord(), grid)
        new, _ = strategy.aggregate_train(round, grid.send_and_receive(messages))
        assert new is not None
        arrays = new
        yield time.perf_counter() - began


def measure(clients: int, repeats: int, folder: Path) -> tuple[list[float], list[float]]:
    """Seconds per round, bare and wrapped."""
    terms = lefi.Terms(budget=0.5 * clients, accuracy=lefi.accuracy("paper"), size_high=1.0)
    bare = rounds(FedAvg(fraction_evaluate=0.0), LocalGrid(make_app(paid=False), clients))
    incentive = Incentive(
        FedAvg(fraction_evaluate=0.0), lefi.make("lefi", terms), terms=terms, ledger=folder / "ledger.db"
    )
    wrapped = rounds(incentive, LocalGrid(make_app(paid=True), clients))
    pairs = list(islice(zip(bare, wrapped, strict=True), WARM + repeats))[WARM:]
    assert incentive.settled == WARM + repeats
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--limit", type=float, default=1.05)
    chosen = parser.parse_args()
    logging.getLogger("flwr").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        bare, wrapped = measure(chosen.clients, chosen.repeats, Path(folder))
    ratio = statistics.median(with_pay / without for without, with_pay in zip(bare, wrapped, strict=True))
    low, high = statistics.median(bare), statistics.median(wrapped)
    each = 1000 * statistics.median(b - a for a, b in zip(bare, wrapped, strict=True)) / chosen.clients
    print(f"{chosen.clients} clients: bare {low:.3f} s, wrapped {high:.3f} s a round, ratio {ratio:.3f}")
    print(f"cost of wrapping: {each:.2f} ms per client and round")
    if ratio > chosen.limit:
        sys.exit(f"wrapping costs more than {chosen.limit - 1:.0%}")


if __name__ == "__main__":
    main()
