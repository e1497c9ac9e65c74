"""Numba and numpy give the same results; the thread count leaves no trace."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from lefi.compiler import NUMBA
from lefi.surrogate import Bank, Hyper, sweep

PLAY = """
import json, numpy as np
from lefi.compiler import NUMBA
from lefi.surrogate import Bank, Hyper
rng = np.random.default_rng(5)
out = {"numba": NUMBA}
for kernel in ("iwp", "matern32", "matern52", "rbf"):
    for cap in (None, 8) if kernel in ("iwp", "rbf") else (None,):
        bank = Bank(kernel, Hyper(0.7, 2.0, 1e-3), cap=cap)
        for _ in range(14):
            ids = rng.permutation(30)[:26]
            y = np.where(rng.random(26) < 0.2, np.nan, rng.normal(size=26))
            bank.observe(ids, rng.uniform(0, 3, 26), y)
        ids = np.arange(33)
        q = rng.uniform(0, 3, (33, 3))
        found = [*bank.joint(ids, q), *bank.predict(ids, q[:, 0]), *bank.slope(ids, q[:, 1]), bank.evidence()]
        out[f"{kernel} {cap}"] = [a.ravel().tolist() for a in found]
print(json.dumps(out))
"""


def played(**environment: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not NUMBA, reason="numba is not here to compare with")
def test_numpy_gives_what_numba_gives() -> None:
    fast, plain = played(), played(LEFI_ENGINE="numpy")
    assert (fast.pop("numba"), plain.pop("numba")) == (True, False)
    for name, expected in fast.items():
        for a, b in zip(expected, plain[name], strict=True):  # type: ignore[call-overload]
            assert b == pytest.approx(a, rel=1e-9, abs=1e-10), name


def test_an_unknown_engine_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import lefi.surrogate"],
        env={**os.environ, "LEFI_ENGINE": "fortran"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert "fortran" in done.stderr


@pytest.mark.skipif(not NUMBA, reason="numpy has one thread")
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ids = np.arange(700)
    banks = [Bank("iwp", Hyper(1.0, 1.0, 1e-2)) for _ in range(2)]
    for bank, threaded in zip(banks, (1 << 60, 0), strict=True):
        monkeypatch.setattr(sweep, "THREADED", threaded)
        monkeypatch.setenv("LEFI_THREADS", "2")
        rng = np.random.default_rng(0)
        for _ in range(5):
            bank.observe(ids, rng.uniform(0, 2, 700), rng.normal(size=700))
        bank.predict(ids, np.ones(700))
    for a, b in zip(*(bank.predict(ids, np.ones(700)) for bank in banks), strict=True):
        assert np.array_equal(a, b)
