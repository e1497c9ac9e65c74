"""Rounds keep their numbers over restarts; Flower counts from 1 at every start."""

from collections.abc import Callable

from flwr.app import ArrayRecord, MetricRecord
from flwr.serverapp.strategy import Result

Evaluate = Callable[[int, ArrayRecord], MetricRecord | None]


def later(evaluate_fn: Evaluate, done: int) -> Evaluate:
    """The same evaluation, told the number that the round has in the job."""
    return lambda server_round, arrays: evaluate_fn(done + server_round, arrays)


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
