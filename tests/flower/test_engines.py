"""Every way of paying gives the same ledger in process and in Flower's simulation engine."""

from pathlib import Path

import pytest

from lefi.ledger import Ledger
from lefi.ledger.views import frame
from tests.flower import watched
from tests.flower.isolation import KINDS_APP, WATCHED_APP, isolated, possible
from tests.flower.jobs import KINDS, as_toml, every_kind, exported
from tests.lengths import LONG

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


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="part of make long; test_watch.py kills and resumes a job in process")
@pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here")
def test_work_is_judged_alike_where_the_server_was_killed(tmp_path: Path) -> None:
    """A client does nothing, and the server is killed in round 3: all rows are those of an undisturbed job."""
    pytest.importorskip("ray", reason="Flower's simulation engine needs ray")
    local, there, home = (tmp_path / name for name in ("local", "there", "home"))
    for folder in (local, there, home):
        folder.mkdir()
        watched.reference().write(folder / "reference.json")
    clients, rounds = 9, 5  # with fewer than eight nobody is judged
    settings = as_toml({"folder": str(there), "nodes": clients, "rounds": rounds, "dies": 3})
    run = ["tests.flower.simulation", str(WATCHED_APP), str(clients), settings, str(there / "died")]
    isolated(run, home, timeout=900)
    trust = watched.watch(reference=local / "reference.json")
    watched.run(local, rounds=rounds, trust=trust, cheats=1, clients=clients).ledger.close()
    tables = []
    for folder in (there, local):
        with Ledger(folder / "ledger.db", reading=True) as ledger:
            tables.append(frame(ledger.rows(), clock=False))
    assert tables[0].filter(kind="accused")["client"].to_list() == ["client-0"]
    assert tables[0].equals(tables[1])
