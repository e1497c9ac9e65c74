"""The promise to work without numba: the same rounds, played as plain Python where numba cannot be imported."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.golden.test_golden import CASES, PLAYED, stored

FEW = 6  # rounds that most mechanisms play: plain Python is slow
LONG = ("waterfill",)  # its kernels have branches that only a long history reaches
SMALL = [label for label in CASES if not label.startswith("large")]
PLAIN = """
import json, sys
sys.modules["numba"] = None
from tests.golden.test_golden import rows_of
from tests.golden.test_without_numba import wanted
label = sys.argv[1]
print(json.dumps({name: [row[2:] for row in wanted(rows_of(label, name), name)] for name in sys.argv[2:]}))
"""


def wanted(rows: Any, name: str) -> Any:
    """The rows up to the last round that is played here; the round stands third in a row."""
    for row in rows:
        if row[2] > FEW and name not in LONG:
            return
        yield row


@pytest.mark.parametrize("label", SMALL)
def test_plain_python_plays_the_rounds_on_file(label: str) -> None:
    names = [name for case, name in PLAYED if case == label]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN, label, *names],
        env=os.environ | {"LEFI_ENGINE": "numpy", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)
    assert list(played) == names
    for name in names:
        expected = [row[2:] for row in wanted([[label, name, *row] for row in stored(label, name)], name)]
        assert expected, name
        np.testing.assert_allclose(played[name], expected, rtol=1e-6, atol=1e-12, err_msg=name)
