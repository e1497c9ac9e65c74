"""What `lefi game` measures, task by task: one row for each, so that what is done is not done again."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lefi.game.equilibrium import equilibrium, some
from lefi.game.exploit import exploit
from lefi.game.identities import Lie, reentry, stated_iid, sybils
from lefi.game.match import match
from lefi.game.policies import Policy
from lefi.game.strategic import Side
from lefi.world.market import Market

KINDS = ("reply", "group", "sybils", "reentry", "iid", "equilibrium")


@dataclass(frozen=True)
class Task:
    """One thing to measure. `players` are how many clients of a fleet are tried, one at a time or as one group."""

    kind: str
    mechanism: str
    scenario: str
    clients: int
    budget: float
    rounds: int
    seed: int
    players: int
    search: bool = True

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(asdict(self).values())


def measure(task: Task, market: Market) -> Iterator[dict[str, Any]]:
    """The rows of a task, one for each client or group that plays."""
    for players, policy, honest, kept, gain_honest, gain in _found(task, market):
        yield asdict(task) | {
            "who": players,
            "policy": policy,
            "honest": honest,
            "kept": kept,
            "gain_honest": gain_honest,
            "gain": gain,
        }


Found = tuple[str, str, float, float, float, float]


def _found(task: Task, market: Market) -> Iterator[Found]:
    if task.kind == "equilibrium":
        yield _equilibrium(task, market)
    elif task.kind in ("reply", "group"):
        clients = some(market, task.players)
        groups = [np.concatenate(clients)] if task.kind == "group" else clients
        players = [group.tolist() for group in groups]
        for reply in exploit(task.mechanism, market, task.rounds, task.seed, players=players, search=task.search):
            who = " ".join(str(one) for one in reply.players.tolist())
            yield who, str(reply.policy), reply.honest, reply.kept, reply.gain_honest, reply.gain
    else:
        for client in some(market, task.players):
            told = LIES[task.kind](task, market, int(client[0]))
            yield str(client[0]), told.kind, told.honest, told.kept, told.gain_honest, told.gain


def _equilibrium(task: Task, market: Market) -> Found:
    """All together: what clients keep on average, and what the server gains, there and with honest clients."""
    found = equilibrium(task.mechanism, [market], task.rounds, task.seed, players=task.players, search=task.search)
    honest, played = (
        match(task.mechanism, market, task.rounds, task.seed, [Side(policy)]) for policy in (Policy(), found.policy)
    )
    settled = str(found.policy) if found.settled else f"{found.policy}, not settled"
    return "all", settled, float(honest.kept.mean()), float(played.kept.mean()), honest.gain, played.gain


LIES: dict[str, Callable[[Task, Market, int], Lie]] = {
    "sybils": lambda task, market, client: sybils(task.mechanism, market, client, task.rounds, task.seed),
    "reentry": lambda task, market, client: reentry(task.mechanism, market, client, task.rounds, task.seed),
    "iid": lambda task, market, client: stated_iid(task.mechanism, market, client, task.rounds, task.seed),
}
