"""The cheapest way to a target, and the best accuracy for a sum: the same budget in every round.

Rounds are whole numbers. For each, the budget is read off a grid of budgets, and those that promise most are looked at
again with an optimum of their own, four times. What a plan costs is what is spent, which may be less than the budget.
Middles are medians over fleets; intervals hold 95% of all pairs of a fleet and a fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray, number
from lefi.display import Series, card, plot
from lefi.errors import InputError
from lefi.models import Learning
from lefi.planning.surface import Progress, Surface, surface
from lefi.world.market import Market

# Budgets are read off four times: for plans that promise to be worse than the best by at most the first number, and
# so much above what just reaches the target as the second says.
STEPS = ((0.2, 1e-2), (0.08, 1e-3), (0.03, 1e-4), (0.01, 1e-5))
INSIDE = 6  # budgets that are looked at each time
TAUGHT = 0.01  # of accuracy: a sum that buys less than that teaches nothing

Place = tuple[int, int]  # budget, rounds


class Span(NamedTuple):
    """A middle, and where 95% of fleets and fits lie.

    >>> from lefi.planning import Span
    >>> Span(middle=12.0, low=10.0, high=15.0).high
    15.0
    """

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Plan:
    """So many rounds at so much per round. `cost`: its interval is what the cheapest way costs each fleet and fit.

    >>> market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    >>> found = lefi.plan(market, lefi.learning("digits"), total=1.0, rounds=10)
    >>> found.rounds <= 10, found.cost.middle <= 1.0
    (True, True)
    """

    rounds: int
    budget: float  # USD per round
    cost: Span  # USD in all
    accuracy: Span
    target: float | None
    total: float | None
    payment: str
    surface: Surface

    def _repr_html_(self) -> str:
        """For notebooks: the plan with its intervals, and accuracy round by round at its budget."""
        cost, accuracy = self.cost, self.accuracy
        facts = {"rounds": f"{self.rounds} at {self.budget:.4g} USD each, paid by {self.payment}"}
        facts |= {"cost": f"{cost.middle:.4g} USD in all, 95% from {cost.low:.4g} to {cost.high:.4g}"}
        facts |= {"accuracy": f"{accuracy.middle:.3f}, 95% from {accuracy.low:.3f} to {accuracy.high:.3f}"}
        row = int(np.abs(self.surface.budgets - self.budget).argmin())
        rising = Series(self.surface.rounds, self.surface.middle[row], f"{self.budget:.3g} USD a round")
        return card("Plan", facts, plot([rising], "rounds", "accuracy", lines=True))


def plan(
    market: Market | Sequence[Market],
    learning: Learning,
    *,
    target: float | None = None,
    total: float | None = None,
    rounds: int | None = None,
    seen: Surface | None = None,
    progress: Progress | None = None,
) -> Plan:
    """The cheapest way to `target`, or the best accuracy for `total` USD; one of the two is given.

    Several markets are several fleets that the job may meet. `rounds` is the most that are played, by default as many
    as were measured. `seen` is the surface of an earlier plan for the same markets. The optimum knows the clients'
    costs: a mechanism that has to learn them needs more money.

    >>> market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    >>> found = lefi.plan(market, lefi.learning("digits"), target=0.7, rounds=20)
    >>> f"{found.rounds} rounds, {found.cost.middle:.3f} USD in all, accuracy {found.accuracy.middle:.2f}"
    '5 rounds, 0.001 USD in all, accuracy 0.70'
    """
    if (target is None) == (total is None):
        raise InputError("target and total", (target, total), "one of them given")
    if target is not None and number("target", target, low=0, high=1) <= learning.floor:
        raise InputError("target", target, f"above {learning.floor:.3f}, the accuracy before the first round")
    if total is not None:
        number("total", total, above=0)
    markets = [market] if isinstance(market, Market) else list(market)
    if not markets:
        raise InputError("markets", 0, "at least 1")
    seen = surface(markets, learning, rounds=rounds, progress=progress) if seen is None else seen
    _possible(seen, learning, target, total)
    seen = refined(markets, learning, seen, target, total, progress)
    place = cheapest(seen, target) if target is not None else richest(seen, total or 0.0)
    assert place is not None
    return _told(seen, place, target, total, markets[0].terms.payment)


def cheapest(seen: Surface, target: float) -> Place | None:
    """Where the target is reached for the least money; None where it is not."""
    cost = np.where(seen.middle >= target, seen.cost, np.inf)
    return _place(cost) if np.isfinite(cost).any() else None


def richest(seen: Surface, total: float) -> Place | None:
    """Where the sum buys the most; of equals the cheapest. None where it does not buy one round."""
    paid = seen.cost <= total
    if not paid.any():
        return None
    most = seen.middle[paid].max()
    return _place(np.where(paid & (seen.middle >= most), seen.cost, np.inf))


def refined(
    markets: Sequence[Market],
    learning: Learning,
    seen: Surface,
    target: float | None,
    total: float | None,
    progress: Progress | None = None,
) -> Surface:
    """The surface with the budgets that promise most for some number of rounds."""
    for margin, nudge in STEPS:
        more = for_target(seen, target, margin, nudge) if target is not None else for_total(seen, total or 0.0, margin)
        more = np.setdiff1d(more, seen.budgets)
        if more.size:
            last = int(seen.rounds[-1])
            seen = seen.joined(surface(markets, learning, budgets=more, rounds=last, progress=progress))
    return seen


def for_target(seen: Surface, target: float, margin: float, nudge: float) -> FloatArray:
    """Budgets that just reach the target in some number of rounds."""
    budget, cost = by_rounds(seen, target)
    return np.asarray(budget[_spread(cost <= (1 + margin) * cost.min())] * (1 + nudge))


def by_rounds(seen: Surface, target: float) -> tuple[FloatArray, FloatArray]:
    """(T,), (T,): the budget that just reaches the target, read off between those that were looked at, and its cost.

    inf where so many rounds do not reach it.

    >>> from lefi.planning import by_rounds, surface
    >>> market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    >>> budget, cost = by_rounds(surface([market], lefi.learning("digits"), rounds=10), target=0.5)
    >>> bool(budget[9] < budget[4])
    True
    """
    log, spend = np.log(seen.budgets), np.median(seen.spend, axis=0)
    rising = np.maximum.accumulate(seen.middle, axis=0)
    found = np.array([np.interp(target, rising[:, t], log) for t in range(seen.rounds.size)])
    within = rising[-1] >= target
    cost = np.where(within, seen.rounds * np.interp(found, log, spend), np.inf)
    return np.where(within, np.exp(found), np.inf), cost


def for_total(seen: Surface, total: float, margin: float) -> FloatArray:
    """Budgets that spend the sum in some number of rounds."""
    log, spend = np.log(seen.budgets), np.maximum.accumulate(np.median(seen.spend, axis=0))
    found = np.interp(total / seen.rounds, spend, seen.budgets)
    reached = np.array([np.interp(np.log(b), log, seen.middle[:, t]) for t, b in enumerate(found.tolist())])
    return np.asarray(found[_spread(reached >= (1 - margin / 4) * reached.max())])  # the last dollars buy a quarter


def _spread(good: BoolArray) -> IntArray:
    """Some of the good ones, from the first to the last."""
    there = np.flatnonzero(good)
    return there[np.unique(np.linspace(0, there.size - 1, INSIDE).round().astype(np.int64))]


def _place(cost: FloatArray) -> Place:
    at = np.unravel_index(int(cost.argmin()), cost.shape)
    return int(at[0]), int(at[1])


def _possible(seen: Surface, learning: Learning, target: float | None, total: float | None) -> None:
    """Refuse what no plan can do, with what one could."""
    most, last = float(seen.middle.max()), int(seen.rounds[-1])
    if target is not None and cheapest(seen, target) is None:
        raise InputError("target", target, f"at most {most:.3f}: these clients reach no more in {last} rounds")
    if total is None:
        return
    place, least = richest(seen, total), min(learning.floor + TAUGHT, most)
    if place is None or seen.middle[place] < least:
        at = cheapest(seen, least)
        assert at is not None
        wanted = f"about {seen.cost[at]:.3g} USD or more: less does not pay for one round that teaches anything"
        raise InputError("total", total, wanted)


def _told(seen: Surface, place: Place, target: float | None, total: float | None, payment: str) -> Plan:
    b, t = place
    here = seen.accuracy[:, :, b, t]
    accuracy = Span(float(seen.middle[place]), *_quantiles(here))
    own = seen.spend[:, b] * seen.rounds[t] if target is None else own_costs(seen, target)
    cost = Span(float(seen.cost[place]), *_quantiles(own))
    return Plan(int(seen.rounds[t]), float(seen.budgets[b]), cost, accuracy, target, total, payment, seen)


def own_costs(seen: Surface, target: float) -> FloatArray:
    """(F, K): the least that each fleet costs by each fit; inf where the target is out of its reach."""
    cost = seen.spend[:, None, :, None] * seen.rounds
    return np.asarray(np.where(seen.accuracy >= target, cost, np.inf).min(axis=(2, 3)))


def _quantiles(values: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975], method="nearest")
    return float(low), float(high)
