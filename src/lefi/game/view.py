"""What a client that plays sees of a round: its own fleet, the number of the round, and one number that it noted."""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, Floats
from lefi.messages import Offer
from lefi.offers import AuctionCall
from lefi.world.behaviours import SelfishFleet
from lefi.world.client import expense


@dataclass(frozen=True, eq=False)
class View:
    """Arrays over all clients of the fleet; a policy answers for all, and only those who play it are heard.

    >>> from lefi.game import View
    >>> fleet = lefi.scenario("paper", clients=2).fleet
    >>> view = View(fleet, round=1, note=np.zeros(2), rng=None)
    >>> offer = lefi.PriceOffer([0.001, 0.001], [5.0, 5.0])
    >>> view.honest(offer), view.as_if(2.0, offer)
    (array([5., 5.]), array([5., 0.]))
    """

    fleet: SelfishFleet
    round: int
    note: FloatArray  # what the policy noted for each client last time, 0 before
    rng: np.random.Generator | None

    def honest(self, offer: Offer) -> FloatArray:
        """What the clients answer when they do not look ahead."""
        return self.fleet.respond(offer, self.rng)

    def as_if(self, times: Floats, offer: Offer) -> FloatArray:
        """What they would answer if they cost that many times as much."""
        return self._dearer(times).respond(offer, self.rng)

    def bid(self, call: AuctionCall, times: Floats = 1.0) -> FloatArray:
        """What they would bid if they cost that many times as much."""
        return np.asarray(self._dearer(times).bid(call, self.rng), dtype=np.float64)

    def keeps(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        """Money that each keeps at these sizes, over what it keeps when it delivers nothing [USD]."""
        return offer.payment(sizes) - self.costs(sizes)

    def costs(self, sizes: FloatArray) -> FloatArray:
        """What these sizes cost each client [USD]."""
        return expense(self.fleet, np.nan_to_num(sizes))

    def cap(self) -> FloatArray:
        """The most that each can deliver [thousand samples]."""
        return np.nan_to_num(self.fleet.means.cap)

    def nothing(self) -> FloatArray:
        """What is delivered by a client that refuses."""
        return np.minimum(self.fleet.means.size_low, self.cap())

    def _dearer(self, times: Floats) -> SelfishFleet:
        return self.fleet.reprice(np.broadcast_to(np.asarray(times, dtype=np.float64), (len(self.fleet.roster),)))
