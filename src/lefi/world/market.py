"""The market: carries an offer to the clients, pays, and writes the receipt."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.display import Series, card, plot
from lefi.draws import normal
from lefi.errors import InputError, OfferError
from lefi.messages import CurveOffer, Offer, Receipt, Terms
from lefi.offers import AuctionCall, Served, VoteOffer
from lefi.payments import payment_of
from lefi.world.abilities import (
    Bidding,
    Bounded,
    Costed,
    Misreporting,
    Predicting,
    Remembering,
    Stating,
    Voting,
    able,
    has,
)
from lefi.world.fleet import Fleet

GUESSING = 0.01  # thousand samples: who trained on less predicts no better than this


@dataclass(frozen=True, eq=False)
class Market:
    """A fleet under terms. Overspend is recorded in the receipt, never clipped.

    >>> market = lefi.scenario("paper", clients=3)
    >>> offer = lefi.CurveOffer([0.5] * 3, market.fleet.roster.rate, [10.0] * 3)
    >>> market.settle(1, offer, rng=None)
    Receipt(round 1: 3 clients, 3 answered, paid 1.49755 of 1.5 USD, accuracy 0.2146)
    """

    terms: Terms
    fleet: Fleet

    def __post_init__(self) -> None:
        if not isinstance(self.terms, Terms):
            raise InputError("terms", self.terms, "lefi.Terms")
        if not isinstance(self.fleet, Fleet):
            raise InputError("fleet", self.fleet, "an object with roster, respond and advance")
        if able(self.fleet, Bounded):
            for name in ("deadline", "size_low", "size_high"):
                stated, agreed = getattr(self.fleet, name), getattr(self.terms, name)
                if stated != agreed:
                    raise InputError(f"fleet.{name}", stated, f"the terms' {agreed!r}")

    def __repr__(self) -> str:
        terms = self.terms
        return f"Market({len(self.fleet.roster)} clients, {terms.budget:g} USD a round, pays by {terms.payment})"

    def _repr_html_(self) -> str:
        """For notebooks: the terms, and what the clients' work costs them where that can be looked up."""
        terms, clients = self.terms, len(self.fleet.roster)
        facts: dict[str, object] = {"clients": f"{clients}, {type(self.fleet).__name__}"}
        facts |= {"budget": f"{terms.budget:g} USD a round", "pays by": terms.payment}
        facts |= {"total": f"{terms.total:g} USD"} if terms.total is not None else {}
        facts |= {"sizes": f"{terms.size_low:g} to {terms.size_high:g} thousand samples"}
        facts |= {"deadline": f"{terms.deadline:g} s"}
        drawn = ""
        if able(self.fleet, Costed):
            means = self.fleet.means
            axes = "most it can deliver [thousand samples]", "cost [USD per thousand samples]"
            drawn = plot([Series(means.cap, means.marginal_cost)], *axes)
        return card("Market", facts, drawn)

    def settle(self, round: int, offer: Offer, rng: np.random.Generator | None, budget: float | None = None) -> Receipt:
        """Ask the clients, first for bids where the offer calls for them; refuse impossible claims, pay the rest.

        `budget` is noted as the one in force (None: the terms' own).
        """
        self.check(offer)
        if isinstance(offer, AuctionCall):
            offer = offer.award(self.bids(offer, rng), self.capacities(offer, rng))
        sizes = self.admit(self.fleet.respond(offer, rng))
        if isinstance(offer, VoteOffer):
            offer = offer.counted(self.votes(offer, sizes, rng))
        if isinstance(offer, Served):
            offer = offer.judged(sizes, self.predictions(offer.questions, sizes, rng))
        paid, accuracy = offer.payment(sizes), self.accuracy_of(sizes)
        return Receipt(round, self.fleet.roster, offer, sizes, paid, accuracy, self.terms.in_force(budget))

    def accuracy_of(self, sizes: FloatArray) -> float:
        """Mean of A(D_n, pi_n) over the roster; who did not answer counts with size 0 (the paper's w = 1)."""
        trained = self.truth(sizes)
        trained = np.where(np.isnan(trained), 0.0, trained)  # ten times as fast as np.nan_to_num
        return float(self.terms.accuracy(trained, self.fleet.roster.iid).mean())

    def truth(self, claims: FloatArray) -> FloatArray:
        """What was really trained on: the claims, but for a fleet that misreports."""
        return self.fleet.truth(claims) if has(self.fleet, Misreporting) else claims

    def admit(self, claims: FloatArray) -> FloatArray:
        """Claims that can be true; NaN, negative and above size_high count as no answer."""
        claims = np.asarray(claims, dtype=np.float64)
        if claims.shape != (len(self.fleet.roster),):
            raise InputError("shape of the fleet's answer", claims.shape, f"({len(self.fleet.roster)},)")
        with np.errstate(invalid="ignore"):
            possible: BoolArray = (claims >= 0) & (claims <= self.terms.size_high)
        return np.where(possible, claims, np.nan)

    def check(self, offer: Offer) -> None:
        """Refuse an offer outside the payment class of the terms: another rate is another kind of payment, too."""
        payment, roster = payment_of(offer), self.fleet.roster
        if payment != self.terms.payment:
            said = f"pays by {payment!r}" if payment else f"is a {type(offer).__name__}"
            raise OfferError(f"offer {said}: this market takes {self.terms.payment!r}")
        if len(offer) != len(roster):
            parts = "weights" if isinstance(offer, CurveOffer) else "entries"
            raise OfferError(f"offer has {len(offer)} {parts} for {len(roster)} clients")
        if isinstance(offer, CurveOffer) and not np.array_equal(offer.rate, roster.rate):
            raise OfferError("offer.rate differs from roster.rate: the rate is fixed by the job")
        least = float(np.min(offer.limit))
        if least < self.terms.size_low:
            raise OfferError(f"offer.limit goes down to {least:g}: size_low is {self.terms.size_low:g}")

    def bids(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        """What each client asks for a thousand samples; NaN where it does not bid."""
        if not able(self.fleet, Bidding):
            raise OfferError(f"a {type(self.fleet).__name__} has no bid(): its clients cannot take part in an auction")
        return np.asarray(self.fleet.bid(call, rng), dtype=np.float64)

    def capacities(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray | None:
        """What each client says it can deliver; None where the fleet says nothing."""
        return self.fleet.capacity(call, rng) if able(self.fleet, Stating) else None

    def votes(self, offer: VoteOffer, sizes: FloatArray, rng: np.random.Generator | None) -> FloatArray:
        """What jurors say of each client: what they saw, but for a fleet that votes otherwise."""
        if has(self.fleet, Voting):
            return self.fleet.vote(offer, sizes, rng)
        return offer.honest(self.fleet.roster.ids, sizes)

    def predictions(self, questions: int, claims: FloatArray, rng: np.random.Generator | None) -> FloatArray:
        """What clients answer to common questions, whose truth is 0: off by 1 / sqrt(what they really trained on).

        NaN where a client did not answer the offer either. A fleet with `predict` answers as it likes.
        """
        if has(self.fleet, Predicting):
            return self.fleet.predict(questions, claims, rng)
        trained = np.maximum(self.truth(claims), GUESSING)
        stream = 0 if rng is None else int(rng.integers(2**63))
        return normal(stream, self.fleet.roster.ids, questions).T / np.sqrt(trained)[:, None]

    def taking(self, payment: str) -> Self:
        """The same clients, paid in another way."""
        return replace(self, terms=replace(self.terms, payment=payment))

    def advance(self, rng: np.random.Generator) -> Self:
        """The market of the next round: clients drift, come and go."""
        fleet = self.fleet.advance(rng)
        return self if fleet is self.fleet else replace(self, fleet=fleet)

    def after(self, receipt: Receipt) -> Self:
        """The market that remembers what was delivered: sticky clients lean on it."""
        return replace(self, fleet=self.fleet.remember(receipt.sizes)) if has(self.fleet, Remembering) else self
