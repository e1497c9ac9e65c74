"""`lefi`: Algorithm 1 of the paper, and the exact allocation that may take the place of its step."""

from lefi.mechanisms.lefi import voters  # noqa: F401  says how it is divided
from lefi.mechanisms.lefi.mechanism import Lefi

__all__ = ["Lefi"]
