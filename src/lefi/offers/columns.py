"""An offer as columns of a table, one row per client, and back. What an offer says to all is repeated in every row.

curve: weight limit    price: price limit    auction (the award): price limit bid    menu: size_0 .. paid_0 ..
pool: total limit      rank: total limit prizes cost_low cost_high
"""

from collections.abc import Mapping

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import LefiError
from lefi.messages import CurveOffer, Offer
from lefi.offers.auction import AuctionAward
from lefi.offers.menu import MenuOffer
from lefi.offers.pool import PoolOffer
from lefi.offers.price import PriceOffer
from lefi.offers.rank import RankOffer


def to_columns(offer: Offer) -> dict[str, FloatArray]:
    """Every number of the offer, by the name of its column."""
    match offer:
        case CurveOffer():
            return {"weight": offer.weight, "limit": offer.limit}
        case AuctionAward():
            return {"price": offer.price, "limit": offer.limit, "bid": offer.bids}
        case PriceOffer():
            return {"price": offer.price, "limit": offer.limit}
        case MenuOffer():
            pairs = range(offer.sizes.shape[1])
            sizes = {f"size_{pair}": offer.sizes[:, pair] for pair in pairs}
            return {"limit": offer.limit} | sizes | {f"paid_{pair}": offer.payments[:, pair] for pair in pairs}
        case PoolOffer():
            return {"limit": offer.limit} | _repeated(len(offer), total=offer.total)
        case RankOffer():
            low, high = offer.believed
            said = _repeated(len(offer), total=offer.total, prizes=offer.prizes, cost_low=low, cost_high=high)
            return {"limit": offer.limit} | said
    raise LefiError(f"a {type(offer).__name__} cannot be written to a ledger")


def from_columns(columns: Mapping[str, FloatArray], rate: FloatArray) -> Offer:
    """The offer that these columns hold; `rate` belongs to the roster."""
    limit = columns["limit"]
    if "bid" in columns:
        return AuctionAward(columns["price"], limit, columns["bid"])
    if "price" in columns:
        return PriceOffer(columns["price"], limit)
    if "size_0" in columns:
        pairs = [name.removeprefix("size_") for name in columns if name.startswith("size_")]
        tables = [np.stack([columns[f"{part}_{pair}"] for pair in pairs], axis=1) for part in ("size", "paid")]
        return MenuOffer(*tables)
    if "prizes" in columns:
        total, prizes, low, high = (columns[name][0] for name in ("total", "prizes", "cost_low", "cost_high"))
        return RankOffer(float(total), int(prizes), (float(low), float(high)), limit)
    if "total" in columns:
        return PoolOffer(float(columns["total"][0]), limit)
    return CurveOffer(columns["weight"], rate, limit)


def _repeated(clients: int, **values: float) -> dict[str, FloatArray]:
    return {name: np.full(clients, float(value)) for name, value in values.items()}
