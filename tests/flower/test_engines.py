"""Every way of paying gives the same ledger in process and in Flower's simulation engine."""

from pathlib import Path

import pytest

from tests.flower.isolation import KINDS_APP, isolated, possible
from tests.flower.jobs import KINDS, every_kind, exported

NODES = 4


@pytest.mark.slow
@pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here")
def test_every_way_of_paying_in_the_simulation_engine(tmp_path: Path) -> None:
    """One run of the engine, a job for every kind: the ledgers are those of the same jobs in process."""
    pytest.importorskip("ray", reason="Flower's simulation engine needs ray")
    local, there, home = (tmp_path / name for name in ("local", "there", "home"))
    for folder in (local, there, home):
        folder.mkdir()
    every_kind(local, NODES)
    settings = f"folder='{there}' nodes={NODES}"
    isolated(["tests.flower.simulation", str(KINDS_APP), str(NODES), settings], home, timeout=600)
    for job in KINDS:
        assert exported(there, job) == exported(local, job)
