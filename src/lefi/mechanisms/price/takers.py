"""What `price` believes of some clients: below a bracket they deliver nothing, above it all they can, inside it either.

p is taken to be spread evenly over [low, high]. Who has taken nothing yet is given a high of twice what is tried next.
An answer is all or nothing, so the band is as wide as both wherever neither is certain.
"""

from typing import TYPE_CHECKING

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.price.brackets import Bracket

if TYPE_CHECKING:
    from lefi.mechanisms.price.mechanism import Price

POINTS = 61  # of each curve: steps have to look like steps


def explain(of: "Price", ids: IntArray) -> Explanation:
    """The axis is price times cap: an offer's price is put there as if it were for all that the client can deliver."""
    bracket = of.brackets.read(ids, whole=of.fixed_cost.some)
    cap = of.capacity.read(ids).cap
    posted, limit = of.prices.read(ids, default=np.nan), of.limits.read(ids, default=np.nan)
    high = _high(of, bracket)
    top = 1.5 * np.maximum(high, np.nan_to_num(posted))
    grid = top[:, None] * np.arange(1, POINTS + 1) / POINTS
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.clip((grid - bracket.low[:, None]) / (high - bracket.low)[:, None], 0.0, 1.0)
    chance = np.where(grid >= high[:, None], 1.0, np.nan_to_num(chance))
    least, most = of.terms.size_low, np.maximum(cap, of.terms.size_low)[:, None]
    expected = least + (most - least) * chance
    below, above = np.where(chance >= 1, most, least), np.where(chance > 0, most, least)
    learned, why = _told(of, bracket, cap, posted, limit)
    return Explanation(ids, grid * most, expected, below, above, posted * most[:, 0], learned, why)


def _high(of: "Price", bracket: Bracket) -> FloatArray:
    guess = of.terms.budget / of.terms.size_high  # before anybody took anything: all the money for one client
    unknown = 2 * np.where(bracket.low > 0, bracket.next, bracket.usual or guess)
    return np.where(np.isfinite(bracket.high), bracket.high, unknown)


def _told(
    of: "Price", bracket: Bracket, cap: FloatArray, posted: FloatArray, limit: FloatArray
) -> tuple[tuple[dict[str, float], ...], tuple[str, ...]]:
    worth, rho = of.worth(), of.fixed_cost.rho
    learned, why = [], []
    columns = (bracket.low, bracket.high, cap, posted, limit)
    for low, high, can, price, size in zip(*(column.tolist() for column in columns), strict=True):
        learned.append(
            {
                "highest price refused [USD / thousand samples]": low,
                "lowest price taken [USD / thousand samples]": high if np.isfinite(high) else np.nan,
                "can deliver [thousand samples]": can,
                "fixed cost [thousand samples]": rho,
                "last price [USD / thousand samples]": price,
                "last limit [thousand samples]": size,
                "price of money [accuracy / USD]": worth,
            }
        )
        why.append(_why(low, high, price, size, of.terms.size_low))
    return tuple(learned), tuple(why)


def _why(low: float, high: float, price: float, limit: float, least: float) -> str:
    """The reason for the last offer, in one sentence."""
    if np.isnan(price):
        return "It was offered nothing yet."
    if limit <= least or price == 0:
        return "Its data cost more than they add, so it was left out of the last round."
    if not np.isfinite(high):
        return f"It has taken no price yet, so {price:.3g} USD per thousand samples was tried."
    if price < high:
        return (
            f"It takes {high:.3g} USD per thousand samples, and {price:.3g} was tried, above the {low:.3g} it refused."
        )
    return f"It takes {high:.3g} USD per thousand samples, and to ask for less would risk more than it saves."
