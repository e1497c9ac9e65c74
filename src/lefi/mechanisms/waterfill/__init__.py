"""`waterfill`: learn each client's whole response curve, allocate exactly, never owe more than the budget."""

from lefi.mechanisms.waterfill.mechanism import Waterfill

__all__ = ["Waterfill"]
