"""`serving(MECHANISM)`: claims are paid as far as the clients' predictions bear them out; see `lefi.offers.served`.

After FedServing (Weng et al. 2021). Clients answer common questions with the model that they trained. The mechanism
inside makes the offers, and learns from what the claims are believed to be worth.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from lefi.errors import OfferError
from lefi.mechanisms.catalogue import register_wrapper
from lefi.mechanisms.mechanism import Mechanism, done
from lefi.messages import Receipt, Roster, Terms
from lefi.offers.served import Served, served


@register_wrapper("serving")
class Serving:
    """Pays claims as far as predictions of the clients bear them out.

    `questions` in a round; `tolerance`: by this share claims may look too high before less is paid.

    >>> market = lefi.scenario("paper", clients=6, behaviours=["cheat(share=0.4)"])
    >>> receipt, = lefi.play(lefi.make("serving(uniform)", market.terms), market, rounds=1)
    >>> receipt.offer.honesty.round(2)
    array([1.  , 0.01, 0.01, 1.  , 1.  , 1.  ])
    """

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Callable[[Terms, int], Mechanism],
        seed: int = 0,
        questions: Annotated[int, Field(ge=2, le=100_000)] = 200,
        tolerance: Annotated[float, Field(ge=0, le=10)] = 0.5,
    ) -> None:
        self.terms, self.inside = terms, inner(terms, seed)
        self.questions, self.tolerance = questions, tolerance

    @property
    def done(self) -> str | None:
        """As the mechanism inside says."""
        return done(self.inside)

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        offer = self.inside.ask(roster, budget)
        judged = served(offer, self.questions, self.tolerance)
        if judged is None:
            raise OfferError(f"serving cannot judge a {type(offer).__name__}: it takes curves, prices and menus")
        return judged

    def tell(self, receipt: Receipt) -> None:
        offer: Served = receipt.offer
        believed = receipt.sizes * offer.honesty
        self.inside.tell(replace(receipt, offer=offer.plain(), sizes=believed))
