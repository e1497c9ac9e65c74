"""Some requests from the OpenAPI file; thousands in `make long`."""

from pathlib import Path

import pytest

from tests.lengths import amount
from tests.serve.fuzz import LIMITS, Request, Target, fuzz
from tests.serve.running import served

REQUESTS = amount(400, 150)


@pytest.mark.slow
def test_no_request_breaks_the_service(tmp_path: Path) -> None:
    with served(tmp_path / "ledger.db", LIMITS) as call:
        target = Target(call)
        fuzz(target, REQUESTS, same=True)
        assert target.audited() == []
        done = {operation for operation, status in target.seen if status < 300}
        refused = {operation for operation, status in target.seen if status >= 400}
    assert done & {"createJob", "openRound", "answer"}  # it came past the door
    assert len(done) >= 6
    assert len(refused) >= 8
    assert sum(target.seen.values()) >= REQUESTS


def test_a_failing_service_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(tmp_path / "ledger.db", LIMITS) as call:
        target = Target(call)
        monkeypatch.setattr("lefi.serve.jobs.state_of", lambda *_: 1 / 0)
        with pytest.raises(AssertionError):
            target.send(Request("getJob", "GET", "/v1/jobs/price-1"))
