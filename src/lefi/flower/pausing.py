"""Pause, resume and stop, as the ledger has them: a job looks before each round."""

from collections.abc import Callable
from logging import INFO, WARNING

from flwr.common import log

from lefi.ledger import Ledger

LOOK = 5.0  # seconds between two looks of a paused job


def wait_while_paused(ledger: Ledger, round: int, sleep: Callable[[float], None]) -> str:
    """Wait until the job is not paused; "running" or "stopped"."""
    state = ledger.orders().state
    if state == "paused":
        log(WARNING, "lefi: the job is paused before round %d; `lefi ledger resume` lets it go on", round)
        while state == "paused":
            sleep(LOOK)
            state = ledger.orders().state
        log(INFO, "lefi: the job is %s", state)
    return state
