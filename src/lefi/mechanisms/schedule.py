"""`schedule`: a total split over a number of rounds beforehand, around any mechanism. The control of `pace`.

w_t  share of round t: all the same, falling from 7 to 1, or rising from 1 to 7
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from lefi.mechanisms.catalogue import register_wrapper
from lefi.mechanisms.pacing import Inner, Pacing
from lefi.messages import Receipt, Terms

STEEP = 7.0  # first round against last, as in research on rounds against sizes

Shape = Literal["constant", "front", "back"]


@register_wrapper("schedule")
class Schedule(Pacing):
    """The same budget each round (the paper's way), most of it first, or most of it last.

    `rounds` counts those of the schedule; without it those of the terms, or 100.

    >>> market = lefi.scenario("paper", clients=3, total=10.0, rounds=4)
    >>> mechanism = lefi.make("schedule(uniform, shape=front)", market.terms)
    >>> [round(receipt.offer.worst_case(), 2) for receipt in lefi.play(mechanism, market, rounds=4)]
    [2.5, 2.5, 1.88, 0.94]
    """

    def __init__(
        self,
        terms: Terms,
        *,
        inner: Inner,
        seed: int = 0,
        shape: Shape = "constant",
        rounds: Annotated[int, Field(ge=1)] | None = None,
    ) -> None:
        count = rounds or terms.rounds or 100
        total = terms.budget * count if terms.total is None else terms.total
        ends = {"constant": (1.0, 1.0), "front": (STEEP, 1.0), "back": (1.0, STEEP)}[shape]
        share = np.linspace(*ends, count)
        self.budgets = total * share / share.sum()
        self.round = 0
        super().__init__(terms, inner, seed, float(self.budgets.mean()))

    def money(self, most: float) -> float:
        """Rounds beyond the schedule, which nobody needs to play, go on with its last budget."""
        return float(self.budgets[min(self.round, len(self.budgets) - 1)])

    def learn(self, receipt: Receipt, budget: float) -> None:
        self.round = receipt.round
        over = f"all {len(self.budgets)} rounds of the schedule are played" if self.round >= len(self.budgets) else None
        self.done = self.all_spent() or over
