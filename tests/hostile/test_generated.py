"""Messages made up at random; `python -m tests.hostile.generated` does the same at length."""

import logging
from pathlib import Path

import pytest

from tests.hostile.generated import bombard


@pytest.mark.parametrize(("two_phase", "messages"), [(False, 3100), (True, 3100)], ids=["one phase", "two phases"])
def test_nobody_else_is_harmed(
    tmp_path: Path, two_phase: bool, messages: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="flwr")
    assert bombard(tmp_path, messages, two_phase, seed=int(two_phase)) >= 2500
