"""Mechanisms: one file each. Importing this package registers those that ship with lefi."""

from lefi.mechanisms.auction import Auction
from lefi.mechanisms.bara import Bara
from lefi.mechanisms.bara_published import BaraPublished
from lefi.mechanisms.catalogue import make, register, register_wrapper, registered
from lefi.mechanisms.chiron import Chiron
from lefi.mechanisms.contest import Contest
from lefi.mechanisms.contract import Contract
from lefi.mechanisms.drl import Drl
from lefi.mechanisms.flat import Flat
from lefi.mechanisms.hierarchy import Hierarchy
from lefi.mechanisms.knapsacks import Knapsacks
from lefi.mechanisms.lefi import Lefi
from lefi.mechanisms.mechanism import Mechanism
from lefi.mechanisms.pace import Pace
from lefi.mechanisms.pool import Pool
from lefi.mechanisms.posted import Posted
from lefi.mechanisms.price import Price
from lefi.mechanisms.principals import Principals
from lefi.mechanisms.random import Random
from lefi.mechanisms.reputation import Reputation
from lefi.mechanisms.schedule import Schedule
from lefi.mechanisms.serving import Serving
from lefi.mechanisms.uniform import Uniform
from lefi.mechanisms.waterfill import Waterfill

__all__ = [
    "Auction",
    "Bara",
    "BaraPublished",
    "Chiron",
    "Contest",
    "Contract",
    "Drl",
    "Flat",
    "Hierarchy",
    "Knapsacks",
    "Lefi",
    "Mechanism",
    "Pace",
    "Pool",
    "Posted",
    "Price",
    "Principals",
    "Random",
    "Reputation",
    "Schedule",
    "Serving",
    "Uniform",
    "Waterfill",
    "make",
    "register",
    "register_wrapper",
    "registered",
]
