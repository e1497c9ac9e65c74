"""Contracts that anyone can run on something of their own: each says what it checked."""

from lefi.testing.clauses import Checked
from lefi.testing.fleet import check_fleet
from lefi.testing.mechanism import check_mechanism
from lefi.testing.model import check_accuracy, check_cost
from lefi.testing.offer import check_offer
from lefi.testing.scenario import check_behaviour, check_scenario

__all__ = [
    "Checked",
    "check_accuracy",
    "check_behaviour",
    "check_cost",
    "check_fleet",
    "check_mechanism",
    "check_offer",
    "check_scenario",
]
