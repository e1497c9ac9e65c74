"""The promise to work without numba: the same rounds, played as plain Python where numba cannot be imported."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from tests.golden.test_golden import CASES, PLAYED, stored
from tests.lengths import amount

FEW = amount(6, 3)  # rounds that most mechanisms play: plain Python is slow
LASTING = {"waterfill": amount(16, 2)}  # its kernels have branches that only a long history reaches: in `make long`
SMALL = [label for label in CASES if not label.startswith("large")]
PLAIN = """
import json, sys
sys.modules["numba"] = None
from tests.golden.test_golden import rows_of
from tests.golden.test_without_numba import all_small, wanted
print(json.dumps([[row[2:] for row in wanted(rows_of(*each), each[1])] for each in all_small()]))
"""


def all_small() -> list[tuple[str, str]]:
    return [(label, name) for label, name in PLAYED if label in SMALL]


def wanted(rows: Any, name: str) -> Any:
    """The rows up to the last round that is played here; the round stands third in a row."""
    for row in rows:
        if row[2] > LASTING.get(name, FEW):
            return
        yield row


def test_plain_python_plays_the_rounds_on_file() -> None:
    """All of them in one process: to start one takes as long as a case."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN],
        env=os.environ | {"LEFI_ENGINE": "numpy", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for (label, name), played in zip(all_small(), json.loads(done.stdout), strict=True):
        expected = [row[2:] for row in wanted([[label, name, *row] for row in stored(label, name)], name)]
        assert expected, name
        np.testing.assert_allclose(played, expected, rtol=1e-6, atol=1e-12, err_msg=f"{label} {name}")
