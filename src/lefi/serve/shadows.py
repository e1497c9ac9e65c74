"""Mechanisms of jobs that somebody else plays: made by what the ledger notes, and told its receipts, to be asked."""

import threading
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lefi.errors import LefiError
from lefi.ledger import Ledger
from lefi.mechanisms import Mechanism, make
from lefi.mechanisms.catalogue import by_name, things
from lefi.messages import Terms
from lefi.models.accuracy import KINDS

MOST = 300_000  # rows of a job that are read for this; more would keep the caller waiting


class Shadows:
    """A twin of each mechanism that was asked for, told what is settled since."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.twins: dict[str, tuple[Mechanism, int]] = {}  # job -> (twin, rounds that it was told)

    def of(self, ledger: Ledger) -> Mechanism | None:
        """The mechanism as it must be in the job's server; None where it cannot be made from what is noted."""
        with self.lock:
            twin, told = self.twins.get(ledger.job) or (_made(ledger.noted() or {}), 0)
            if twin is None or ledger.last_row() > MOST:
                return None
            if ledger.settled > told:
                for receipt in ledger.receipts():
                    if receipt.round > told:
                        twin.tell(receipt)
                        told = receipt.round
            self.twins[ledger.job] = (twin, told)
            return twin


def may_end(spec: str) -> bool:
    """Whether a mechanism may want no further round: only then is it worth a twin to ask."""
    try:
        return any(hasattr(thing, "done") for thing in things(spec))
    except LefiError:
        return False


def _made(noted: Mapping[str, Any]) -> Mechanism | None:
    """Only what is registered by name, with the settings that were noted: a ledger must not make us load code."""
    name, model = noted.get("mechanism"), dict(noted.get("accuracy") or {})
    kind = {each.__name__: each for each in KINDS.values()}.get(str(model.pop("kind", None)))
    if not isinstance(name, str) or kind is None or "settings" not in noted:
        return None
    values: dict[str, Any] = {field.name: noted.get(field.name) for field in fields(Terms)}
    try:
        by_name(name)
        terms = Terms(**values | {"accuracy": kind(**model)})
        return make(name, terms, seed=noted.get("seed") or 0, **noted["settings"])
    except (LefiError, TypeError, ValueError):
        return None
