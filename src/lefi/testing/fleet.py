"""The contract of a fleet, clause by clause."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer, Roster, Terms
from lefi.offers import MenuOffer, PriceOffer
from lefi.testing.clauses import Checked, check, require
from lefi.world.abilities import Bounded, Divisible, able
from lefi.world.fleet import Fleet


def check_fleet(fleet: Fleet, *, size_low: float | None = None, size_high: float | None = None) -> Checked:
    """Put offers to a fleet; raise ContractError where it breaks its contract.

    The bounds are those that the fleet states, or those of `Terms` where it states none.

    >>> from lefi.testing import check_fleet
    >>> check_fleet(lefi.scenario("mixed", clients=3).fleet).clauses[0]
    'answers fit the offer'
    """
    stated = (fleet.size_low, fleet.size_high) if able(fleet, Bounded) else (Terms.size_low, Terms.size_high)
    low, high = (usual if given is None else given for given, usual in zip((size_low, size_high), stated, strict=True))
    return check(_Subject(fleet, low, high), CLAUSES)


@dataclass(frozen=True, eq=False)
class _Subject:
    """The fleet under test, and the sizes that its job allows."""

    fleet: Fleet
    low: float
    high: float

    def offers(self, roster: Roster | None = None) -> list[CurveOffer | PriceOffer | MenuOffer]:
        roster = roster or self.fleet.roster
        limits = (self.high, (self.low + self.high) / 2, self.low)
        every = np.full(len(roster), 1.0)
        pairs, weights = np.outer(every, limits), (0.0, 1e-3, 0.1, 3.0, 100.0)
        return [
            *[CurveOffer(w * every, roster.rate, limit * every) for w in weights for limit in limits],
            *[PriceOffer(price * every, limit * every) for price in (0.0, 1e-3, 0.1) for limit in limits],
            *[MenuOffer(pairs, price * pairs) for price in (0.0, 1e-3, 0.1)],
        ]


def _answers_fit(subject: _Subject) -> None:
    fleet = subject.fleet
    for step in range(4):
        for offer in subject.offers(fleet.roster):
            for rng in (None, np.random.default_rng(step)):
                sizes = np.asarray(fleet.respond(offer, rng))
                require(sizes.shape == (len(fleet.roster),), f"{sizes.shape} answers for {len(fleet.roster)} clients")
                wrong = ~np.isnan(sizes) & ~((sizes >= 0) & (sizes <= np.minimum(offer.limit, subject.high)))
                require(not wrong.any(), f"an answer of {sizes[wrong][:1]} to a limit of {offer.limit[0]:g}")
        fleet = fleet.advance(np.random.default_rng(step))


def _answers(subject: _Subject, seed: int | None) -> FloatArray:
    rngs = (None if seed is None else np.random.default_rng(seed) for _ in subject.offers())
    return np.stack([subject.fleet.respond(o, rng) for o, rng in zip(subject.offers(), rngs, strict=True)])


def _answers_repeat(subject: _Subject) -> None:
    for seed, when in ((None, "without noise"), (5, "to the same draws")):
        same = np.array_equal(_answers(subject, seed), _answers(subject, seed), equal_nan=True)
        require(same, f"{when} it answered the same offer in two ways")


def _answering_leaves_no_trace(subject: _Subject) -> None:
    before = _answers(subject, None)
    for seed in range(3):
        _answers(subject, seed)
    require(np.array_equal(before, _answers(subject, None), equal_nan=True), "earlier offers changed its answers")


def _advancing_leaves_the_old(subject: _Subject) -> None:
    before, ids = _answers(subject, None), subject.fleet.roster.ids.copy()
    later = subject.fleet
    for step in range(3):
        later = later.advance(np.random.default_rng(step))
        require(isinstance(later, Fleet), f"advance returned a {type(later).__name__}")
    require(np.array_equal(ids, subject.fleet.roster.ids), "advance changed the roster of the old fleet")
    require(np.array_equal(before, _answers(subject, None), equal_nan=True), "advance changed the old fleet's answers")


def _order_of_answers(subject: _Subject) -> None:
    """For fleets that can be reordered, those with `take`."""
    if not able(subject.fleet, Divisible):
        return
    order = np.random.default_rng(0).permutation(len(subject.fleet.roster))
    moved = replace(subject, fleet=subject.fleet.take(order))
    for seed in (None, 5):
        same = np.allclose(_answers(moved, seed), _answers(subject, seed)[:, order], rtol=1e-9, equal_nan=True)
        require(same, "the order of clients changed their answers")


CLAUSES: dict[str, Callable[[_Subject], None]] = {
    "answers fit the offer": _answers_fit,
    "answers repeat": _answers_repeat,
    "answering leaves no trace": _answering_leaves_no_trace,
    "advancing leaves the old fleet": _advancing_leaves_the_old,
    "reordering clients reorders the answers": _order_of_answers,
}
