"""The contract of an offer, clause by clause."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.payments import payment_of
from lefi.testing.clauses import Checked, check, require

DRAWS = 200
COSTS = (1e-5, 1e-3, 0.05)  # marginal costs, in USD per thousand samples


def check_offer(offer: Offer, *, rate: float = 0.75, equilibrium: bool = False) -> Checked:
    """Hold an offer to its contract; raise ContractError where it breaks it.

    `rate` is the roster's, for the way back from columns. `equilibrium`: what is best for a client is so on average
    over what it believes of the others, as in a contest; then best sizes are only checked to lie in their bounds.

    >>> from lefi.testing import check_offer
    >>> check_offer(lefi.PriceOffer(price=[0.1, 0.2], limit=[4.0, 5.0])).clauses[0]
    'it says how it pays'
    """
    clauses = {name: clause for name, clause in CLAUSES.items() if not (equilibrium and clause is _best_is_best)}
    return check(_Subject(offer, np.full(len(offer), rate)), clauses)


@dataclass(frozen=True, eq=False)
class _Subject:
    offer: Offer
    rate: FloatArray

    def sizes(self, seed: int) -> FloatArray:
        """Sizes that clients may claim: nothing, some, all that is paid for, more, and no answer."""
        rng = np.random.default_rng(seed)
        share = rng.choice([0.0, 1e-9, 0.3, 0.7, 1.0, 1.5, np.nan], len(self.offer))
        return np.asarray(share * np.maximum(self.offer.limit, 1e-3) * rng.uniform(0.9, 1.1, len(self.offer)))


def _says_how_it_pays(subject: _Subject) -> None:
    require(payment_of(subject.offer) is not None, "its class is not decorated by lefi.pays")


def _has_limits(subject: _Subject) -> None:
    limit = np.asarray(subject.offer.limit)
    require(limit.shape == (len(subject.offer),), f"limit has shape {limit.shape} for {len(subject.offer)} clients")
    require(bool((np.isfinite(limit) & (limit >= 0)).all()), f"a limit of {limit.min()}")


def _payments_are_money(subject: _Subject) -> None:
    for seed in range(DRAWS):
        sizes = subject.sizes(seed)
        paid = np.asarray(subject.offer.payment(sizes))
        require(paid.shape == sizes.shape, f"payments have shape {paid.shape} for sizes {sizes.shape}")
        require(bool((np.isfinite(paid) & (paid >= 0)).all()), f"it pays {paid[~(paid >= 0)][:1]} for a size")
        require(bool((paid[np.isnan(sizes)] == 0).all()), "it pays for no answer")


def _worst_is_worst(subject: _Subject) -> None:
    worst = subject.offer.worst_case()
    for seed in range(DRAWS):
        paid = float(np.sum(subject.offer.payment(subject.sizes(seed))))
        require(paid <= worst * (1 + 1e-12) + 1e-300, f"it owes {paid!r}, the worst case is said to be {worst!r}")


def _best_is_in_bounds(subject: _Subject) -> None:
    offer, low = subject.offer, np.zeros(len(subject.offer))
    for cost in COSTS:
        for high in (offer.limit, offer.limit / 2):
            best = np.asarray(offer.best_size(cost, low, high))
            inside = (best >= low) & (best <= np.maximum(low, np.minimum(high, offer.limit)) * (1 + 1e-12))
            require(bool(inside.all()), f"a best size of {best[~inside][:1]} outside its bounds")


def _best_is_best(subject: _Subject) -> None:
    """No client has more by delivering something else, while the others do what is best for them."""
    offer, rng = subject.offer, np.random.default_rng(0)
    low, high = np.zeros(len(offer)), np.asarray(offer.limit)
    for cost in COSTS:
        best = np.asarray(offer.best_size(cost, low, high))
        own = offer.payment(best) - cost * best
        for client in range(min(len(offer), 8)):
            for other in [0.0, *(rng.random(20) * high[client]), high[client]]:
                sizes = best.copy()
                sizes[client] = other
                gain = float(offer.payment(sizes)[client] - cost * other - own[client])
                require(gain <= 1e-9 + 1e-6 * abs(own[client]), f"delivering {other:g} instead leaves {gain:g} more")


def _columns_give_it_back(subject: _Subject) -> None:
    columns = subject.offer.to_columns()
    require("limit" in columns, "its columns have no limit")
    for name, column in columns.items():
        require(np.shape(column) == (len(subject.offer),), f"column {name} has shape {np.shape(column)}")
    again = type(subject.offer).from_columns(columns, subject.rate)
    for seed in range(20):
        sizes = subject.sizes(seed)
        same = np.array_equal(again.payment(sizes), subject.offer.payment(sizes))
        require(same, "read back from its columns it pays something else")


CLAUSES: dict[str, Callable[[_Subject], None]] = {
    "it says how it pays": _says_how_it_pays,
    "every client has a limit": _has_limits,
    "payments are money": _payments_are_money,
    "the worst case is the worst": _worst_is_worst,
    "best sizes lie in their bounds": _best_is_in_bounds,
    "best sizes are best": _best_is_best,
    "its columns give it back": _columns_give_it_back,
}
