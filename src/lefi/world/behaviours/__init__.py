"""Behaviours: wrappers that change how the clients of a fleet answer, who they are and what they charge.

They compose: `Dropout(Noisy(OptOut(fleet), 0.1), 0.2)`. Whatever the behaviour, no answer exceeds the offer's limit.
"""

from lefi.world.behaviours.answers import Dropout, Misreport, Noisy, OptOut, Sticky
from lefi.world.behaviours.behaviour import Behaviour, SelfishFleet
from lefi.world.behaviours.blend import Blend
from lefi.world.behaviours.change import Churn, Drift, Jump
from lefi.world.behaviours.cheat import Cheat
from lefi.world.behaviours.named import register_behaviour
from lefi.world.behaviours.responses import AllOrNothing, ConvexCost, Linear, Logit
from lefi.world.behaviours.strategy import Holdout, Overbid

__all__ = [
    "AllOrNothing",
    "Behaviour",
    "Blend",
    "Cheat",
    "Churn",
    "ConvexCost",
    "Drift",
    "Dropout",
    "Holdout",
    "Jump",
    "Linear",
    "Logit",
    "Misreport",
    "Noisy",
    "OptOut",
    "Overbid",
    "SelfishFleet",
    "Sticky",
    "register_behaviour",
]
