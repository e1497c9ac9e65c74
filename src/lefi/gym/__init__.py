"""Environments for agents that learn to pay: a market for Gymnasium, thousands for Stable-Baselines3 (extra `drl`)."""

from typing import Any

from lefi.errors import LefiError

__all__ = ["MarketEnv", "MarketVecEnv"]

PLACES = {"MarketEnv": "environment", "MarketVecEnv": "vector"}


def __getattr__(name: str) -> Any:
    """The environments, imported when they are asked for: training and the markets as arrays need no extra."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        raise LefiError(f"lefi.gym.{name} needs {error.name}: pip install 'lefi-fl[drl]'") from None
