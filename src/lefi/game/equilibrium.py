"""Symmetric equilibria: all play one policy, and no other policy pays a client more by much.

Found by iterated best replies: the best reply of a client, on average over some clients and fleets, becomes what all
play, until it adds no more than a tolerance. Where replies go in a circle, the policy is kept whose best reply adds
least: an equilibrium up to that much.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lefi.arrays import IntArray
from lefi.errors import InputError
from lefi.game.exploit import refined
from lefi.game.match import Maker, match
from lefi.game.policies import Policy, first_tries
from lefi.game.strategic import Side
from lefi.world.market import Market

TOLERANCE = 0.02  # of what a client keeps: below this the draw of clients decides what is the best reply
MOST = 8  # replies to replies: what has not settled by then goes in a circle


@dataclass(frozen=True)
class Step:
    """What all play, and the share that the best reply adds to what a client keeps then."""

    policy: Policy
    reply: Policy
    adds: float


@dataclass(frozen=True)
class Equilibrium:
    """The policy that all play at the end, and the steps that led there.

    >>> from lefi.game import Policy, equilibrium
    >>> market = lefi.scenario("paper", clients=3, payment="auction")
    >>> end = equilibrium("auction", [market], rounds=3, tries=[Policy()], search=False)
    >>> end.settled, str(end.policy)
    (True, 'honest')
    """

    policy: Policy
    adds: float
    settled: bool
    steps: tuple[Step, ...]


def equilibrium(
    name: str | Maker,
    markets: Sequence[Market],
    rounds: int = 100,
    seed: int = 0,
    *,
    players: int = 2,
    start: Policy | None = None,
    tries: Sequence[Policy] | None = None,
    search: bool = True,
    tolerance: float = TOLERANCE,
    progress: Callable[[Step], None] | None = None,
) -> Equilibrium:
    """Where iterated best replies settle, from honest answers or from `start`.

    A reply is judged by what `players` clients of each market keep by it together, one of them playing at a time.

    >>> from lefi.game import Policy, equilibrium, policy_of
    >>> market = lefi.scenario("paper", clients=3, payment="auction")
    >>> tries = [Policy(), policy_of("holdout(times=2)")]
    >>> str(equilibrium("auction", [market], rounds=3, tries=tries, search=False).policy)
    'honest'
    """
    if not markets:
        raise InputError("markets", markets, "at least one market")
    family = list(first_tries(markets[0].terms.payment) if tries is None else tries)
    everybody: Policy = Policy() if start is None else start
    steps: list[Step] = []
    while len(steps) < MOST and everybody not in [step.policy for step in steps]:
        steps.append(_step(name, markets, rounds, seed, players, everybody, family, search))
        if progress is not None:
            progress(steps[-1])
        if steps[-1].adds <= tolerance:
            break
        everybody = steps[-1].reply
    last = min(steps, key=lambda step: step.adds)
    return Equilibrium(last.policy, last.adds, last.adds <= tolerance, tuple(steps))


def _step(
    name: str | Maker,
    markets: Sequence[Market],
    rounds: int,
    seed: int,
    players: int,
    everybody: Policy,
    family: Sequence[Policy],
    search: bool,
) -> Step:
    found: dict[Policy, float] = {}

    def keeps(policy: Policy) -> float:
        if policy not in found:
            found[policy] = sum(
                match(name, market, rounds, seed, (Side(everybody), Side(policy, client))).kept_by(client)
                for market in markets
                for client in some(market, players)
            )
        return found[policy]

    best = max([everybody, *family], key=keeps)
    if search:
        best = max(best, refined(best, keeps), key=keeps)
    now = keeps(everybody)
    adds = (keeps(best) - now) / abs(now) if now else float(keeps(best) > 0)
    return Step(everybody, best, adds)


def some(market: Market, players: int) -> list[IntArray]:
    """So many clients of a market, evenly spread over its ids."""
    ids = np.sort(market.fleet.roster.ids)
    places = np.unique(np.linspace(0, ids.size - 1, min(players, ids.size)).round().astype(np.int64))
    return [ids[[place]] for place in places]
