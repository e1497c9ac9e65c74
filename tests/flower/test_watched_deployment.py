"""A job with a cheat on SuperNodes, its server killed and started again: verdicts are those of an undisturbed job."""

from pathlib import Path

import polars as pl
import pytest

from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.keys import read_public
from lefi.ledger.views import frame
from tests.flower import watched
from tests.flower.isolation import isolated, possible
from tests.flower.jobs import as_toml
from tests.flower.keys import certificate, node_key
from tests.lengths import LONG

pytestmark = [
    pytest.mark.slow,
    # Ten daemons and a process per message: five minutes of CPU.
    pytest.mark.skipif(not LONG, reason="part of make long; test_watch.py does the same in process"),
    pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here"),
]
# With fewer than eight clients nobody is judged. The server dies in the round in which the cheat is accused.
NODES, ROUNDS, DIES = 8, 4, 3


def told(folder: Path) -> pl.DataFrame:
    """The rows but for clock and aliases, which differ between runs that did the same."""
    with Ledger(folder / "ledger.db", reading=True) as ledger:
        assert verify(ledger, read_public(folder / "ledger.db.pub")).findings == []
        return frame(ledger.rows(), clock=False)


def test_killed_and_resumed_the_verdicts_are_those_of_an_undisturbed_job(tmp_path: Path) -> None:
    there, here, home = tmp_path / "there", tmp_path / "here", tmp_path / "home"
    for folder in (there, here, home):
        folder.mkdir()
    watched.reference().write(there / "reference.json")
    certificate(there)
    for number in range(NODES):
        node_key(there / f"node-{number}")
    config = as_toml({"folder": str(there), "nodes": NODES, "rounds": ROUNDS, "dies": DIES})
    isolated(["tests.flower.watched_deployment", str(there), str(NODES), config], home, timeout=2700, patient=True)
    trust = watched.watch(reference=there / "reference.json")
    watched.run(here, rounds=ROUNDS, trust=trust, cheats=1, clients=NODES, grace=3600.0).ledger.close()
    found = told(there)
    accused = found.filter(pl.col("kind") == "accused")
    assert accused.select("round", "client").rows() == [(DIES, "client-0")]
    assert found.equals(told(here))
