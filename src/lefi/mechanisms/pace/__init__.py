"""`pace`: a total spent over rounds by a plan that learns, around any mechanism."""

from lefi.mechanisms.pace.mechanism import Pace

__all__ = ["Pace"]
