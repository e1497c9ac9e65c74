"""The main attacks on a real SuperLink with SuperNodes: the job ends, and the honest client is paid as without them."""

from pathlib import Path
from typing import Any

import pytest

from lefi.flower import LocalGrid
from lefi.flower.incentive import Incentive
from lefi.ledger import Ledger
from lefi.ledger.audit import audit
from tests.flower import toy
from tests.flower.isolation import isolated, possible
from tests.flower.keys import certificate, node_key


@pytest.mark.slow
@pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here")
def test_a_real_job_under_attack(tmp_path: Path) -> None:
    there, home = tmp_path / "there", tmp_path / "home"
    for folder in (there, home):
        folder.mkdir()
    certificate(there)
    for number in range(3):
        node_key(there / f"node-{number}")
    log = isolated(["tests.hostile.deployment", str(there)], home, timeout=600)
    with Ledger(there / "ledger.db") as ledger:
        rows = list(ledger.rows())
    assert not audit(rows).findings
    answers = [row for row in rows if row["kind"] == "answer" and row["client"] == "client-1"]
    verdicts = [(row["round"], row["verdict"]) for row in answers]
    assert verdicts == [(1, "other arrays than sent"), (2, "not a number"), (3, "malformed")]
    assert "no usable name" in log
    assert paid(rows, "client-1") == []
    assert paid(rows, "client-0") == expected(tmp_path / "calm.db")


def paid(rows: list[dict[str, Any]], client: str) -> list[float]:
    return [row["payment"] for row in rows if row["kind"] == "payment" and row["client"] == client]


def expected(place: Path) -> list[float]:
    """The same two clients in process, the second one silent when it should train."""

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if partition == 1 and kind == "train" else None

    grid = LocalGrid(toy.app(), 2, faults=faults)  # type: ignore[arg-type]
    incentive = Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=place)
    incentive.start(grid, toy.model(), num_rounds=3)
    result = paid(list(incentive.ledger.rows()), "client-0")
    incentive.ledger.close()
    assert len(result) == 3
    return result
