"""What a mechanism believes of some clients, as numbers that a page can draw and words that a person can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lefi.arrays import FloatArray, IntArray

ONE_IN_TWENTY = 1.6449  # deviations of a normal that one draw in twenty exceeds


@dataclass(frozen=True)
class Explanation:
    """Of each client: the size expected against money, a band around it, and why its offer is what it is.

    `money` is what an offer would pay for the largest size, in USD, so that one axis serves every way of paying.
    """

    ids: IntArray  # the clients, in the order they were asked for
    money: FloatArray  # (clients, points), rising along the points
    expected: FloatArray  # (clients, points), size
    low: FloatArray  # (clients, points), one in twenty answers is believed to be below
    high: FloatArray  # (clients, points), one in twenty is believed to be above
    offered: FloatArray  # (clients,), the last offer on the axis of `money`; NaN where there was none
    learned: tuple[dict[str, float], ...]  # what was learned of each client: a name with its unit, and the value
    why: tuple[str, ...]  # one sentence per client


@runtime_checkable
class Explaining(Protocol):
    """A mechanism that can say what it believes; asking changes nothing."""

    def explain(self, ids: IntArray) -> Explanation: ...
