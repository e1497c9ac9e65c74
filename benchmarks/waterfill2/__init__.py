"""`waterfill`: learn each client's whole response curve, allocate exactly, never owe more than the budget."""

from benchmarks.waterfill2.mechanism import Waterfill2

__all__ = ["Waterfill2"]
