"""The server: a job for every way of paying, in one ledger, every other one in two phases."""

from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from lefi.flower import Incentive, Ledger
from tests.flower import toy

KINDS = ("price", "contract", "pool", "contest", "auction", "waterfill")
ROUNDS = 2

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    place, nodes = Path(str(context.run_config["folder"])) / "ledger.db", int(str(context.run_config["nodes"]))
    for number, name in enumerate(KINDS):
        strategy = FedAvg(fraction_evaluate=0.0, min_train_nodes=nodes, min_available_nodes=nodes)
        settings, two_phase = toy.SETTINGS.get(name), number % 2 == 0
        with Ledger(place, job=name) as ledger:
            incentive = Incentive(
                strategy, name, terms=toy.paying(name), ledger=ledger, settings=settings, two_phase=two_phase
            )
            incentive.start(grid, toy.model(), num_rounds=ROUNDS)
