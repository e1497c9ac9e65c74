"""Networks for tests."""

import numpy as np

from lefi.agent.network import SHAPES, Layers


def random_network(seed: int) -> Layers:
    """One that says something, whatever it is."""
    rng = np.random.default_rng(seed)
    return Layers(*(0.3 * rng.normal(size=shape) for shape in SHAPES))
