"""Scenarios for data of another size than the paper's: full delivery costs and earns the same."""

from typing import Any

from lefi.models import LinearCost, cost
from lefi.world.drawn import Settings
from lefi.world.market import Market
from lefi.world.scenarios import SCENARIOS
from lefi.world.scenarios import scenario as make_market

PAPER_HIGH = 10.0  # thousand samples, the paper's largest size


def scaled_market(scenario: str, accuracy: str, size_high: float, **settings: Any) -> Market:
    """The scenario with sizes up to `size_high`: rates and cost per sample grow as the sizes shrink.

    A full delivery then costs and earns what it does in the paper, whose sizes go up to 10 thousand.
    """
    factor = PAPER_HIGH / size_high
    paper = cost("paper")
    usual = (own if isinstance(own := SCENARIOS.get(scenario), dict) else {}).get("rate", Settings().rate)
    low, high = usual if isinstance(usual, tuple) else (usual, usual)
    scaled: dict[str, Any] = {"rate": (low * factor, high * factor), "cost": LinearCost(paper.p * factor, paper.q)}
    return make_market(scenario, accuracy=accuracy, size_high=size_high, **scaled, **settings)
