"""Where a kernel would divide by zero or leave the numbers: compiled code goes on, plain Python would stop."""

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from tests.lengths import LONG

PLAIN = """
import sys
sys.modules["numba"] = None
from tests.mechanisms.waterfill.test_edges import play
for edge in sys.argv[1:]:
    play(edge)
"""


@dataclass(frozen=True)
class Quadratic:
    """An accuracy of sizes alone: a size + b size^2."""

    a: float
    b: float

    def __call__(self, sizes: FloatArray | float, iid: FloatArray | float) -> FloatArray:
        return np.asarray(self.a * np.asarray(sizes) + self.b * np.asarray(sizes) ** 2 + 0 * np.asarray(iid))

    def slope(self, sizes: FloatArray | float, iid: FloatArray | float) -> FloatArray:
        return np.asarray(self.a + 2 * self.b * np.asarray(sizes) + 0 * np.asarray(iid))


# Accuracy model and rate of the clients. From none to all data are worth nothing, or less than nothing; in the third
# case a client wants exp(300) times the money for a thousand samples more.
EDGES = {
    "worthless": (Quadratic(0.08, -0.008), 0.7),
    "harmful": (Quadratic(0.05, -0.008), 0.7),
    "steep": (Quadratic(0.06, -0.0025), 300.0),
}


def play(edge: str, name: str = "waterfill") -> None:
    """Fifteen rounds with a noisy client of each kind; every offer is a number, and within the budget."""
    accuracy, rate = EDGES[edge]
    rng, clients = np.random.default_rng(1), 6
    roster = lefi.Roster(np.arange(clients), rng.random(clients), np.full(clients, rate))
    terms = lefi.Terms(clients * 0.01, accuracy)
    mechanism = lefi.make(name, terms)
    cap, location = rng.uniform(2, 9, clients), rng.uniform(-8, -2, clients)
    for t in range(1, 16):
        offer = mechanism.ask(roster)
        assert isinstance(offer, lefi.CurveOffer)
        assert np.isfinite(offer.weight).all()
        assert np.isfinite(offer.limit).all()
        assert offer.worst_case() <= terms.budget
        x = np.log(np.maximum(offer.weight, 1e-300))
        rise, step = np.clip((x - location) / rate, 0, cap), np.where(x > location, cap, 0.0)
        sizes = np.choose(np.arange(clients) % 3, [rise, step, np.where(x > location + 1, cap, 0.4 * step)])
        sizes = np.clip(sizes * (1 + 0.1 * rng.standard_normal(clients)), 0, np.minimum(cap, offer.limit))
        mechanism.tell(lefi.Receipt(t, roster, offer, sizes, offer.payment(sizes), 0.0))


@pytest.mark.parametrize("edge", EDGES)
def test_compiled_code_goes_on(edge: str) -> None:
    play(edge)


@pytest.mark.skipif(not LONG, reason="part of make long; plain Python plays golden rounds in make test")
def test_plain_python_goes_on() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN, *EDGES],
        env=os.environ | {"LEFI_ENGINE": "numpy", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
