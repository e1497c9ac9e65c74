"""Accuracy that data do not raise, rates that no client has: compiled or as plain Python, every offer is a number."""

import os
import subprocess
import sys

import pytest

from tests.mechanisms.waterfill.test_edges import EDGES, play

PLAIN = """
import sys
sys.modules["numba"] = None
import benchmarks.waterfill2
from tests.mechanisms.waterfill.test_edges import play
for edge in sys.argv[1:]:
    play(edge, "waterfill2")
"""


@pytest.mark.parametrize("edge", EDGES)
def test_compiled_code_goes_on(edge: str) -> None:
    play(edge, "waterfill2")


def test_plain_python_goes_on() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN, *EDGES],
        env=os.environ | {"LEFI_ENGINE": "numpy", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
