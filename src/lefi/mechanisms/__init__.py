"""Mechanisms: one file each. Importing this package registers those that ship with lefi."""

from lefi.mechanisms.bara import Bara
from lefi.mechanisms.lefi import Lefi
from lefi.mechanisms.mechanism import Mechanism, make, mechanisms, register
from lefi.mechanisms.random import Random
from lefi.mechanisms.uniform import Uniform
from lefi.mechanisms.waterfill import Waterfill

__all__ = ["Bara", "Lefi", "Mechanism", "Random", "Uniform", "Waterfill", "make", "mechanisms", "register"]
