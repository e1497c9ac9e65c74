"""Mechanisms: one file each. Importing this package registers those that ship with lefi."""

from lefi.mechanisms.bara import Bara
from lefi.mechanisms.lefi import Lefi
from lefi.mechanisms.mechanism import Mechanism, make, mechanisms, register
from lefi.mechanisms.price import Price
from lefi.mechanisms.random import Random
from lefi.mechanisms.uniform import Uniform

__all__ = ["Bara", "Lefi", "Mechanism", "Price", "Random", "Uniform", "make", "mechanisms", "register"]
