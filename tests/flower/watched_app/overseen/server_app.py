"""The server: it judges the work of its clients, and dies once by SIGKILL, just before a round is paid."""

import os
import signal
from pathlib import Path

from flwr.app import ArrayRecord, Context
from flwr.serverapp import Grid, ServerApp

from lefi.ledger import Ledger
from tests.flower import watched

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    config = {name: int(str(context.run_config[name])) for name in ("nodes", "rounds", "dies")}
    folder = Path(str(context.run_config["folder"]))

    def measure(arrays: ArrayRecord) -> float:
        with Ledger(folder / "ledger.db", reading=True) as ledger:
            round = ledger.settled + 1
        died = folder / "died"
        if round == config["dies"] and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return watched.accuracy(arrays)

    trust = watched.watch(reference=folder / "reference.json")
    watched.run(
        folder, rounds=config["rounds"], trust=trust, clients=config["nodes"], measure=measure, grid=grid, grace=3600.0
    ).ledger.close()
