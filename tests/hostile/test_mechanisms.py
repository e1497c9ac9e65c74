"""Mechanisms that misbehave: no round and no job passes its budget (`python -m tests.hostile.mechanisms`: more)."""

import contextlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.ledger.audit import audit
from tests.flower import toy
from tests.hostile.mechanisms import Misbehaving, play
from tests.lengths import examples


@examples(150)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_no_budget_is_passed(seed: int, two_phase: bool) -> None:
    logging.getLogger("flwr").setLevel(logging.CRITICAL)
    try:
        play(seed, 60, two_phase)
    finally:
        logging.getLogger("flwr").setLevel(logging.INFO)


@pytest.mark.parametrize("two_phase", [False, True])
def test_in_a_whole_job(tmp_path: Path, two_phase: bool, caplog: pytest.LogCaptureFixture) -> None:
    """With the real ledger and Flower's loop; a mechanism that raises when asked stops the job, and nothing is owed."""
    caplog.set_level(logging.CRITICAL, logger="flwr")
    terms = lefi.Terms(3.0, toy.TERMS.accuracy, size_high=5.0, total=20.0)
    settled = 0
    for seed in range(8):
        mechanism: Any = Misbehaving(np.random.default_rng(seed), terms)
        place = tmp_path / f"{seed}.db"
        incentive = Incentive(toy.fedavg(), mechanism, terms=terms, ledger=place, two_phase=two_phase)
        with contextlib.suppress(lefi.LefiError, ValueError):
            incentive.start(LocalGrid(toy.app(lambda posted, context: 9.0), 4), toy.model(), num_rounds=20)
        found = audit(incentive.ledger.rows())
        assert not found.findings
        assert found.paid <= 20.0
        settled += found.settled
        incentive.ledger.close()
    assert settled > 5
