"""Clients that think ahead: policies, best replies to a mechanism, and what is left when all play them."""

from lefi.game.equilibrium import Equilibrium, equilibrium
from lefi.game.exploit import Reply, exploit
from lefi.game.family import Holdout  # importing the family registers it
from lefi.game.identities import Lie, on_probation, reentry, stated_iid, sybils
from lefi.game.match import Match, match
from lefi.game.policies import Policy, first_tries, policy_of, register_policy
from lefi.game.strategic import Side, Strategic
from lefi.game.view import View

__all__ = [
    "Equilibrium",
    "Holdout",
    "Lie",
    "Match",
    "Policy",
    "Reply",
    "Side",
    "Strategic",
    "View",
    "equilibrium",
    "exploit",
    "first_tries",
    "match",
    "on_probation",
    "policy_of",
    "reentry",
    "register_policy",
    "stated_iid",
    "sybils",
]
