"""Flower's quickstart shape gains incentives by a diff of at most 10 lines, and the docs show that diff."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from flwr.app import Context, RecordDict

from lefi.flower import LocalGrid
from lefi.ledger import Ledger
from lefi.ledger.audit import audit
from tests.flower.isolation import ROOT

pytest.importorskip("torch", reason="the quickstart trains with torch")
QUICKSTART = ROOT / "examples" / "quickstart"
DIFF = QUICKSTART / "incentive.diff"


def play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["flwr"]["app"]["config"]
    for name in [name for name in sys.modules if name.split(".")[0] == "quickstart"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(folder)
    from quickstart.client_app import app
    from quickstart.server_app import main

    grid = LocalGrid(app, 4, run_config=config)
    main(grid, Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config=config))


def test_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        shutil.copytree(QUICKSTART, folder)
    subprocess.run(["patch", "-p1", "-i", str(DIFF)], cwd=after, check=True, capture_output=True)
    play(before, monkeypatch)
    assert not (before / "ledger.db").exists()
    play(after, monkeypatch)
    with Ledger(after / "ledger.db", create=False) as ledger:
        found = audit(ledger.rows())
        sizes = [receipt.sizes for receipt in ledger.receipts()]
    assert not found.findings
    assert found.settled == 3
    assert found.paid > 0
    assert any((size > 0).any() for size in sizes)


def test_the_diff_is_short_and_documented() -> None:
    lines = DIFF.read_text().splitlines()
    added = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    removed = [line for line in lines if line.startswith("-") and not line.startswith("---")]
    assert len(added) <= 10
    assert len(removed) <= len(added)
    shown = (ROOT / "docs" / "flower.md").read_text()
    assert all(line in shown for line in added + removed)
