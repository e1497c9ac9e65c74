"""The server: FedAvg on made-up data, with lefi around it."""

from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from lefi.flower import Incentive
from tests.flower import toy

ROUNDS, NODES = 3, 3

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    strategy = FedAvg(fraction_evaluate=0.0, min_train_nodes=NODES, min_available_nodes=NODES)
    place = Path(str(context.run_config["folder"])) / "ledger.db"
    incentive = Incentive(strategy, "waterfill", terms=toy.TERMS, ledger=place)
    incentive.start(grid, toy.model(), num_rounds=ROUNDS)
    incentive.ledger.close()
