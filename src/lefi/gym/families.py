"""Families of markets: those that an agent is trained on, and those that it never saw and is judged on.

A family says what differs from market to market: every market draws its own ranges, its own money and its own clients.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lefi.world.market import Market
from lefi.world.scenarios import scenario

Draw = np.random.Generator
MONEY = (0.004, 1.0)  # USD per client and round: from hardly anything to more than all can use
HELD_OUT = ("mixed", "reluctant", "stubborn", "flaky")  # scenarios that no family below can draw


def _paper(rng: Draw) -> dict[str, Any]:
    """The paper's clients: one rate and one speed for all, prices that differ."""
    low = float(np.exp(rng.uniform(np.log(0.3), 0.0)))
    return {"rate": float(rng.uniform(0.4, 1.1)), "price_factor": (low, low * float(rng.uniform(1.5, 6.0)))}


def _capped(rng: Draw) -> dict[str, Any]:
    """And deadlines that cap what some can deliver."""
    return _paper(rng) | {"speed": (float(rng.uniform(2.0, 6.0)), float(rng.uniform(12.0, 36.0)))}


def _varied(rng: Draw) -> dict[str, Any]:
    """Or rates that differ, without caps: both together are `mixed`, which is held out."""
    return _paper(rng) | {"rate": (float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.7, 1.3)))}


def _noisy(rng: Draw) -> dict[str, Any]:
    """One of the three, and answers that are off."""
    inside = (_paper, _capped, _varied)[int(rng.integers(3))]
    return inside(rng) | {"noise": float(rng.uniform(0.02, 0.2))}


FAMILIES: dict[str, Callable[[Draw], dict[str, Any]]] = {
    "paper": _paper,
    "capped": _capped,
    "varied": _varied,
    "noisy": _noisy,
}


def drawn_market(rng: Draw, clients: int, families: tuple[str, ...] = tuple(FAMILIES)) -> tuple[Market, int]:
    """A market of one of these families, and the seed of its draws."""
    family = families[int(rng.integers(len(families)))]
    seed = int(rng.integers(2**31))
    each = float(np.exp(rng.uniform(*np.log(MONEY))))
    return scenario("paper", clients=clients, budget=each * clients, seed=seed, **FAMILIES[family](rng)), seed
