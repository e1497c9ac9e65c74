"""Rounds keep their numbers over restarts; Flower counts from 1 at every start."""

from logging import INFO, WARNING
from pathlib import Path

from flwr.common import log
from flwr.serverapp.strategy import Result

from lefi.ledger import Ledger


def numbered(result: Result, done: int) -> Result:
    """The result, its metrics under the numbers that the rounds have in the job."""
    for history in (
        result.train_metrics_clientapp,
        result.evaluate_metrics_clientapp,
        result.evaluate_metrics_serverapp,
    ):
        shifted = {done + round: metrics for round, metrics in history.items()}
        history.clear()
        history.update(shifted)
    return result


def announce(ledger: Ledger, settled: int, left: int) -> None:
    """Say what a start goes on with: a job that is finished trains nothing, and looks broken where nobody says so."""
    if settled and left:
        log(INFO, "lefi: job %s goes on: %d rounds are settled, %d are to come", ledger.job, settled, left)
    elif settled:
        told = "lefi: job %s is finished: its %d rounds are settled in %s, nothing is trained. Another job begins anew"
        log(WARNING, told, ledger.job, settled, place_of(ledger))


def place_of(ledger: Ledger) -> str:
    """Where the ledger lies, as somebody in another folder finds it: engines start servers in folders of their own."""
    file = ledger.url.database if ledger.url.get_backend_name() == "sqlite" else None
    return str(Path(file).resolve()) if file else ledger.place
