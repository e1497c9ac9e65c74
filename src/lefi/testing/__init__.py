"""Contracts that anyone can run on a mechanism or a fleet of their own."""

from lefi.testing.fleet import check_fleet
from lefi.testing.mechanism import check_mechanism

__all__ = ["check_fleet", "check_mechanism"]
