"""`reputation(MECHANISM)`: clients that break their word are left out for a while, and others get the money.

After Kang et al. (2019): opinions by subjective logic (`lefi.opinions`), recent deeds counting more, opinions of others
beside one's own. Who has a reputation below the threshold is offered nothing. Deeds fade, so that it is heard again.

What counts here is what a receipt shows. Good: an answer that is paid. Bad: no answer to an offer that would have paid,
or a delivery too small for every pair of a menu. A refusal is no bad deed, unless `refusal` says so: who finds an offer
too low breaks no word. Whether an update is any good cannot be seen here.

Witnesses are road-side units: in each round a client is seen by one of them, drawn by round and id. That one's opinion
is fused with what the others recommend, weighted by how alike they judge and how often they met the client.
"""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register_wrapper
from lefi.mechanisms.mechanism import Mechanism, done
from lefi.mechanisms.parts import part, spread
from lefi.mechanisms.table import LastValue
from lefi.messages import Receipt, Roster, Terms
from lefi.opinions import Opinion, fused, opinion, recommended, similarity

Share = Annotated[float, Field(ge=0, le=1)]


@register_wrapper("reputation")
class Reputation:
    """Leaves out clients that did not answer or broke their picks, until that has faded.

    `threshold` of the reputation; `decay`, what is left of a deed a round later; `caution`, weight of bad deeds.

    >>> market = lefi.scenario("flaky", clients=4)
    >>> mechanism = lefi.make("reputation(uniform, threshold=0.4)", market.terms)
    >>> *_, last = lefi.play(mechanism, market, rounds=5)
    >>> mechanism.reputation(last.roster.ids).round(2)
    array([0.59, 0.75, 0.37, 0.37])
    """

    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Callable[[Terms, int], Mechanism],
        seed: int = 0,
        threshold: Share = 0.3,
        decay: Annotated[float, Field(gt=0, lt=1)] = 0.9,
        caution: Share = 0.6,
        trusting: Share = 0.5,
        refusal: Share = 0.0,
        witnesses: Annotated[int, Field(ge=1, le=100)] = 1,
    ) -> None:
        self.terms, self.seed, self.inside = terms, seed, inner(terms, seed)
        self.threshold, self.decay, self.caution = threshold, decay, caution
        self.trusting, self.refusal, self.round = trusting, refusal, 0
        self.good = [LastValue() for _ in range(witnesses)]
        self.bad = [LastValue() for _ in range(witnesses)]

    @property
    def done(self) -> str | None:
        """As the mechanism inside says."""
        return done(self.inside)

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        kept = self._kept(roster.ids, self.round + 1)
        if kept.size == len(roster):
            return self.inside.ask(roster, budget)
        return spread(self.inside.ask(roster.take(kept), budget), kept, roster, self.terms.size_low)

    def tell(self, receipt: Receipt) -> None:
        kept, money = self._kept(receipt.roster.ids, receipt.round), self.terms.in_force(receipt.budget)
        whole = kept.size == len(receipt.roster)
        self.inside.tell(receipt if whole else part(receipt, kept, self.terms, money))
        self.round = receipt.round
        self._note(receipt)

    def reputation(self, ids: IntArray, round: int | None = None) -> FloatArray:
        """T of each client, as the witness of that round holds it (of the next round, if none is given)."""
        own = self._witness(ids, self.round + 1 if round is None else round)
        held = [opinion(p.read(ids, default=0.0), n.read(ids, default=0.0), self.caution) for p, n in self._books()]
        result = np.empty(ids.size)
        for w in np.unique(own):
            result[own == w] = self._told(held, ids, int(w)).reputation(self.trusting)[own == w]
        return result

    def _told(self, held: list[Opinion], ids: IntArray, w: int) -> Opinion:
        """What a witness holds of all these clients, after it has heard the others."""
        others = [v for v in range(len(held)) if v != w]
        if not others:
            return held[w]
        met = [sum((book.read(ids, default=0.0) for book in self._books()[v]), np.zeros(ids.size)) for v in others]
        weights = [similarity(held[w], held[v]) * often for v, often in zip(others, met, strict=True)]
        if not any(weight.any() for weight in weights):  # nobody to compare with yet: all count as they met the client
            weights = met
        return fused(held[w], recommended([held[v] for v in others], weights))

    def _books(self) -> list[tuple[LastValue, LastValue]]:
        return list(zip(self.good, self.bad, strict=True))

    def _witness(self, ids: IntArray, round: int) -> IntArray:
        return (len(self.good) * uniform(key(self.seed, "witness", round), ids)).astype(np.int64)

    def _kept(self, ids: IntArray, round: int) -> IntArray:
        """Where those stand who are offered something: everybody, where nobody is above the threshold."""
        kept = np.flatnonzero(self.reputation(ids, round) >= self.threshold)
        return kept if kept.size else np.arange(ids.size)

    def _note(self, receipt: Receipt) -> None:
        offered = receipt.offer.payment(receipt.offer.limit) > 0
        paid, answered = receipt.payments > 0, receipt.answered
        declined = answered & (np.nan_to_num(receipt.sizes) <= self.terms.size_low)
        bad = np.where(paid, 0.0, np.where(declined, self.refusal, 1.0))
        ids, own = receipt.roster.ids, self._witness(receipt.roster.ids, receipt.round)
        for w, books in enumerate(self._books()):
            at = offered & (own == w)
            for book, deeds in zip(books, (paid.astype(np.float64), bad), strict=True):
                book.values = book.values * self.decay
                book.write(ids[at], book.read(ids[at], default=0.0) + deeds[at])
