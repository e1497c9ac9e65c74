"""A few kills of the service under load; fifty in `make long`."""

from pathlib import Path

import pytest

from tests.serve.kills import JOBS, torment

KILLS = 3


@pytest.mark.slow
def test_no_payment_twice_or_lost(tmp_path: Path) -> None:
    struck = torment(str(tmp_path / "ledger.db"), KILLS)
    assert struck["kills"] == KILLS
    assert struck["while rows were written"] > 0
    assert struck["jobs"] >= len(JOBS)
