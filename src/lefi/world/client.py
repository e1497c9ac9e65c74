"""The selfish client (problem P0): how much data to train on, for the money offered.

max_D  f(D) - theta (p D + q)    s.t.  (p D + q) / F <= T,  D_min <= D <= D_max,  D <= limit
lambda_1 .. lambda_4 >= 0 belong to these constraints in this order; the first-order condition is
f'(D) - theta p - lambda_1 p / F + lambda_2 - lambda_3 - lambda_4 = 0.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.messages import CurveOffer, Offer
from lefi.models import LinearCost
from lefi.offers import AuctionCall, PriceOffer


@dataclass(frozen=True, eq=False)
class Means:
    """What a client has: its private price and speed, and the bounds that the job sets. Arrays over clients."""

    price: FloatArray
    speed: FloatArray
    cost: LinearCost
    deadline: float
    size_low: float
    size_high: float

    @cached_property
    def cap(self) -> FloatArray:
        """The most that can be trained on within the deadline and size_high; NaN where not even size_low can."""
        in_time = (self.speed * self.deadline - self.cost.q) / self.cost.p
        return np.where(in_time < self.size_low, np.nan, np.minimum(in_time, self.size_high))

    @property
    def sits_out(self) -> BoolArray:
        return np.isnan(self.cap)

    @property
    def marginal_cost(self) -> FloatArray:
        """theta p, in USD per thousand samples."""
        return self.price * self.cost.p


def best_size(offer: Offer, means: Means) -> FloatArray:
    """The size that solves P0; 0 for a client that cannot meet the deadline even at size_low."""
    cap = means.cap
    best = offer.best_size(means.marginal_cost, means.size_low, np.where(np.isnan(cap), means.size_low, cap))
    return np.where(np.isnan(cap), 0.0, best)


def utility(offer: Offer, means: Means, sizes: FloatArray) -> FloatArray:
    """Money left after the cost of training: f(D) - theta (p D + q)."""
    return offer.payment(sizes) - means.price * means.cost(sizes)


@runtime_checkable
class Costed(Protocol):
    """Clients whose costs can be looked up: what money they keep at a size, and what they deliver for nothing.

    >>> from lefi.world.abilities import Costed, able
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> able(fleet, Costed), fleet.means.cap.round(1)
    (True, array([10., 10.]))
    """

    @property
    def means(self) -> Means: ...

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray: ...

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray: ...


class Unpaid(NamedTuple):
    """An offer of nothing, and what each client keeps under it."""

    offer: PriceOffer
    kept: FloatArray


def unpaid(fleet: Costed) -> Unpaid:
    """What the clients do for nothing."""
    clients = fleet.means.price.size
    nothing = PriceOffer(np.zeros(clients), np.full(clients, fleet.means.size_high))
    return Unpaid(nothing, fleet.utility(nothing, fleet.respond(nothing, None)))


def expense(fleet: Costed, sizes: FloatArray, nothing: Unpaid | None = None) -> FloatArray:
    """What delivering these sizes costs each client, over what it delivers for nothing. The least it must be paid.

    `nothing` is `unpaid` of this fleet, for who asks often.
    """
    nothing = unpaid(fleet) if nothing is None else nothing
    return nothing.kept - fleet.utility(nothing.offer, sizes)


def unit_cost(fleet: Costed, call: AuctionCall) -> FloatArray:
    """Expense of a thousand samples when the client delivers all that is called for and it can; NaN if nothing."""
    sizes = np.fmin(call.limit, np.nan_to_num(fleet.means.cap))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sizes > 0, expense(fleet, sizes) / sizes, np.nan)


def best_bid(fleet: Costed, call: AuctionCall) -> FloatArray:
    """What each client bids or posts: the truth where that is best, else the best answer to the others."""
    return call.posted(unit_cost(fleet, call), np.nan_to_num(fleet.means.cap))


@dataclass(frozen=True, eq=False)
class Multipliers:
    """lambda_1 .. lambda_4 of P0 at its solution; NaN for a client that sits out."""

    deadline: FloatArray
    size_low: FloatArray
    size_high: FloatArray
    limit: FloatArray


def multipliers(offer: CurveOffer, means: Means) -> Multipliers:
    """KKT multipliers at `best_size`. The pull f'(D) - theta p is taken up by the bound that holds the client."""
    D = best_size(offer, means)
    pull = offer.weight * offer.rate * np.exp(-offer.rate * D) - means.marginal_cost
    cap = means.cap
    by_limit = offer.limit < cap
    by_deadline = ~by_limit & (cap < means.size_high)
    at_top = np.fmin(cap, offer.limit) <= D

    def only(where: BoolArray, values: FloatArray) -> FloatArray:
        return np.where(means.sits_out, np.nan, np.where(where, np.maximum(values, 0.0), 0.0))

    return Multipliers(
        deadline=only(at_top & by_deadline, pull * means.speed / means.cost.p),
        size_low=only(means.size_low >= D, -pull),
        size_high=only(at_top & ~by_deadline & ~by_limit, pull),
        limit=only(at_top & by_limit, pull),
    )
