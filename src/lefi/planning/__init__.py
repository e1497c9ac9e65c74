"""Plans: how many rounds and how much per round, so that a target costs least or a sum buys most."""

from lefi.planning.choice import Plan, Span, by_rounds, plan
from lefi.planning.surface import Surface, surface

__all__ = ["Plan", "Span", "Surface", "by_rounds", "plan", "surface"]
