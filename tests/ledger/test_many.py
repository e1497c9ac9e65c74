"""Exports do not grow with the ledger (`make long`: a million rows)."""

from pathlib import Path

import polars as pl
import pytest

from lefi.ledger import Ledger
from lefi.ledger.exports import export
from lefi.ledger.views import frames
from tests.ledger import many


def test_an_export_in_parts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More rows than are held at once: the same table, in order, and exact sums."""
    monkeypatch.setattr("lefi.ledger.views.BATCH", 700)
    many.fill(tmp_path / "ledger.db", 3000)
    with Ledger(tmp_path / "ledger.db", reading=True) as ledger:
        held = [table.height for table in frames(ledger.rows())]
        assert max(held) == 700
        for name in ("rows.csv", "rows.parquet"):
            assert export(frames(ledger.rows()), tmp_path / name) == 3001
    table = pl.read_parquet(tmp_path / "rows.parquet")
    assert table["seq"].to_list() == list(range(1, 3002))
    assert table["payment"].sum() == 3000 * many.UNITS
    assert pl.read_csv(tmp_path / "rows.csv", infer_schema=False).height == 3001
    assert {path.suffix for path in tmp_path.iterdir() if path.name.startswith(".")} == set(), "no scratch files stay"
