"""The reverse auction of BARA (Yang et al., IJCAI 2023): who wins is paid by the bid of the first who does not.

b_n  bid for all that n says it delivers     q_n  its quality     d_n = b_n / q_n, sorted upwards
k = max n with  d_{n+1} (q_1 + ... + q_n) <= budget;  the first k win, and n is paid q_n d_{k+1}
Truth: d_{k+1} is what a winner could have bid at most, and its own bid does not move it. Budget: by the choice of k.
The last in the order never wins: there is nobody after it whose bid could be its price.
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.offers.auction import AuctionCall
from lefi.payments import pays


@pays("auction", name="reverse call")
@dataclass(frozen=True, eq=False)
class ReverseCall(AuctionCall):
    """The rule, published before the bids. Quality is the value of the call, in the part of it that n can deliver.

    >>> from lefi.offers import ReverseCall
    >>> call = ReverseCall(budget=1.0, value=[1.0, 1.0, 1.0], limit=[5.0] * 3, ids=np.arange(3))
    >>> call.award(np.array([0.02, 0.04, 0.06])).price.round(3)
    array([0.06, 0.06, 0.  ])
    """

    def _prices(self, density: FloatArray, worth: FloatArray, stated: FloatArray) -> FloatArray:
        """d_{k+1} for those who win, 0 for the others. Of equal bids the smaller id comes first."""
        order, steps = ladder(self, density, worth * stated)
        winners = int(np.searchsorted(steps, self.budget, side="right"))
        prices = np.zeros(len(self))
        if winners:
            prices[order[:winners]] = density[order[winners]]
        return prices


def ladder(call: AuctionCall, density: FloatArray, quality: FloatArray) -> tuple[IntArray, FloatArray]:
    """Who comes in which order, and what the first n of them cost, n = 1, 2, ..., all but the last."""
    who = np.flatnonzero(np.isfinite(density) & (density >= 0) & (quality > 0))
    order = who[np.lexsort((call.ids[who], density[who]))]
    return order, density[order[1:]] * quality[order].cumsum()[:-1]
