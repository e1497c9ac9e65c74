"""Messages made up at random; `python -m tests.hostile.generated` (`make long`) does the same at length."""

import logging
from pathlib import Path

import pytest

from tests.hostile.generated import bombard
from tests.lengths import amount

MESSAGES = amount(3100, 1000)


@pytest.mark.parametrize("two_phase", [False, True], ids=["one phase", "two phases"])
def test_nobody_else_is_harmed(tmp_path: Path, two_phase: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="flwr")
    assert bombard(tmp_path, MESSAGES, two_phase, seed=int(two_phase)) >= 0.8 * MESSAGES
