"""`principals`: clients post contracts, the server buys for its budget. It learns nothing and decides next to nothing.

After Saputra et al. (2021); see `lefi.offers.principals` for the game and where it ends.
"""

from lefi.mechanisms.auction import Auction
from lefi.mechanisms.catalogue import register
from lefi.messages import Roster
from lefi.offers import PrincipalCall


@register("principals")
class Principals(Auction):
    """A call for contracts each round: the value of clients as in `auction`, another rule.

    >>> market = lefi.scenario("paper", clients=4, payment="auction")
    >>> receipt, = lefi.play(lefi.make("principals", market.terms), market, rounds=1)
    >>> receipt.paid <= market.terms.budget
    True
    """

    payment = "auction"
    tier = "bids"
    learns = "nobody"

    def ask(self, roster: Roster, budget: float | None = None) -> PrincipalCall:
        call = super().ask(roster, budget)
        return PrincipalCall(call.budget, call.value, call.limit, call.ids)
