"""The example `paid` as a newcomer meets it: a first run, the same command again, and a start anew."""

from pathlib import Path

import pytest

from lefi.ledger import Ledger
from tests.flower import jobs

SETTINGS = {"num-server-rounds": 2, "num-clients": 3, "local-epochs": 1, "mechanism": "uniform"}


def test_a_second_run_goes_on_and_a_flag_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("lefi.flower.counting.log", lambda level, text, *parts: said.append(text % parts))
    for more in ({}, {}, {"anew": True}):
        jobs.example(tmp_path, SETTINGS | more, lambda number: f"car-{number}", None)
    assert len(said) == 1
    assert "job paid is finished" in said[0]
    with Ledger(tmp_path / "ledger.db", reading=True) as ledger:
        assert ledger.jobs() == ["paid", "paid-2"]
        measured = [[receipt.accuracy for receipt in ledger.of(job).receipts()] for job in ledger.jobs()]
    assert measured[0] == measured[1]
    assert all(0 < accuracy < 1 for accuracy in measured[0])
    assert {path.name for path in tmp_path.glob("*.png")} == {"paid.png", "paid-2.png"}
