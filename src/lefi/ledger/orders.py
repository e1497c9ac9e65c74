"""Orders of the operator, which are rows like all others: caps, blocks, pause, resume, stop, another budget."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Orders:
    """What is in force. `state` is running, paused or stopped; a cap is the most that a client is paid in all.

    `budget` is what a round may pay in units; None stands for that of the terms.
    """

    state: str = "running"
    caps: dict[str, int] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)
    budget: int | None = None

    def obey(self, kind: str, client: str, units: int | None) -> str | None:
        """Take in one order; what is wrong with it, if anything."""
        if self.state == "stopped" and kind in ("pause", "resume", "stop"):
            return f"{kind} of a job that is stopped"
        if kind in ("pause", "resume", "stop"):
            self.state = {"pause": "paused", "resume": "running", "stop": "stopped"}[kind]
        elif kind == "budget":
            self.budget = units
            return None if units is not None and units > 0 else "a budget that is none"
        elif kind == "block":
            self.blocked.add(client)
        elif kind == "unblock":
            self.blocked.discard(client)
        elif units is None:
            self.caps.pop(client, None)
        elif units < 0:
            return "a cap below 0"
        else:
            self.caps[client] = units
        return None


def orders_of(rows: Iterable[tuple[str, str, int | None]]) -> Orders:
    """The orders in force after these rows (kind, client, units), in their order."""
    orders = Orders()
    for kind, client, units in rows:
        orders.obey(kind, client, units)
    return orders
