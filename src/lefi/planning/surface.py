"""What rounds and money buy: accuracy over (rounds, budget per round), where the clients are known.

F  fleets      K  fits: the fit itself first, then those to seeds drawn again      B  budgets [USD per round]
T  rounds      spend (F, B) [USD per round]      accuracy (F, K, B, T)
In every round the optimum of the way of paying is offered: the oracle of the curve, or the cost itself for a price.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.messages import Receipt
from lefi.models import Learning
from lefi.optimum import first_best, oracle
from lefi.world.abilities import Costed, able
from lefi.world.client import expense
from lefi.world.market import Market

BUDGETS = 17  # of the first grid
LEAST = 0.01  # of what full delivery costs: the smallest budget of the first grid
MOST = {"curve": 300.0, "price": 1.0}  # of the same; the curve pays clients far above their cost
OPTIMA: dict[str, Callable[[Market], Receipt]] = {"curve": oracle, "price": first_best}
LONGEST = 1000  # rounds

Progress = Callable[[int, int], None]  # optima found, of all


@dataclass(frozen=True, eq=False)
class Surface:
    """Accuracy and money for every number of rounds and every budget that was looked at.

    >>> from lefi.planning import surface
    >>> market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    >>> seen = surface([market], lefi.learning("digits"), budgets=np.array([0.01, 0.1]), rounds=5)
    >>> seen.middle.shape
    (2, 5)
    """

    budgets: FloatArray
    rounds: FloatArray
    spend: FloatArray
    accuracy: FloatArray
    error: float  # of the fit, on cells that it has not seen

    @property
    def middle(self) -> FloatArray:
        """(B, T): median over fleets of what the fit itself says."""
        return np.asarray(np.median(self.accuracy[:, 0], axis=0))

    @property
    def cost(self) -> FloatArray:
        """(B, T): median over fleets of what is spent in all [USD]."""
        return np.asarray(np.median(self.spend, axis=0)[:, None] * self.rounds)

    def joined(self, other: "Surface") -> "Surface":
        """Both, in the order of their budgets."""
        budgets = np.concatenate([self.budgets, other.budgets])
        order = np.argsort(budgets, kind="stable")
        spend = np.concatenate([self.spend, other.spend], axis=1)[:, order]
        accuracy = np.concatenate([self.accuracy, other.accuracy], axis=2)[:, :, order]
        return replace(self, budgets=budgets[order], spend=spend, accuracy=accuracy)


def surface(
    markets: Sequence[Market],
    learning: Learning,
    *,
    budgets: FloatArray | None = None,
    rounds: int | None = None,
    progress: Progress | None = None,
) -> Surface:
    """What each budget buys of these fleets, up to so many rounds (None: as far as was measured).

    >>> from lefi.planning import surface
    >>> market = lefi.scenario("paper", clients=3, accuracy="digits", size_high=0.2, payment="price")
    >>> seen = surface([market], lefi.learning("digits"), budgets=np.array([0.01, 0.1]), rounds=5)
    >>> seen.middle[:, -1].round(2)
    array([0.81, 0.81])
    """
    payment = _one_payment(markets)
    most = int(learning.rounds_range[1] if rounds is None else rounds)
    if not 1 <= most <= LONGEST:
        raise InputError("rounds", most, f"from 1 to {LONGEST}")
    looked = first_budgets(markets, payment) if budgets is None else budgets
    t, fits = np.arange(1.0, most + 1), (learning, *learning.resampled)
    spend = np.empty((len(markets), looked.size))
    accuracy = np.empty((len(markets), len(fits), looked.size, t.size))
    for f, market in enumerate(markets):
        for b, budget in enumerate(looked.tolist()):
            best = OPTIMA[payment](replace(market, terms=replace(market.terms, budget=budget)))
            spend[f, b], trained = best.paid, market.truth(best.sizes)
            accuracy[f, :, b] = [fit.joint(trained, best.roster.iid, t) for fit in fits]
            if progress is not None:
                progress(f * looked.size + b + 1, spend.size)
    return Surface(looked, t, spend, accuracy, learning.error)


def first_budgets(markets: Sequence[Market], payment: str) -> FloatArray:
    """From next to nothing to where more money buys no more, for the middle fleet."""
    full = float(np.median([full_cost(market) for market in markets]))
    return np.asarray(np.geomspace(LEAST * full, MOST[payment] * full, BUDGETS))


def full_cost(market: Market) -> float:
    """What it costs the clients to deliver all that they can in one round [USD]."""
    if not able(market.fleet, Costed):
        raise InputError("fleet", market.fleet, "one whose costs can be looked up, for a plan")
    return float(expense(market.fleet, np.nan_to_num(market.fleet.means.cap)).sum())


def _one_payment(markets: Sequence[Market]) -> str:
    ways = {market.terms.payment for market in markets}
    if len(ways) != 1 or not ways <= OPTIMA.keys():
        raise InputError("payment", ", ".join(sorted(ways)), f"one of {', '.join(OPTIMA)}: those have an exact optimum")
    return ways.pop()
