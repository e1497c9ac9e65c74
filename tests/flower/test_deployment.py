"""Real jobs on one SuperLink with SuperNodes: README's headline with a killed node, the main attacks, every kind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from polars.testing import assert_frame_equal

from lefi.flower import LocalGrid
from lefi.flower.incentive import Incentive
from lefi.ledger import Ledger
from lefi.ledger.audit import audit
from lefi.ledger.keys import read_public
from lefi.ledger.proofs import wrong_together
from tests.flower import toy
from tests.flower.isolation import isolated, possible
from tests.flower.jobs import KINDS, as_toml, every_kind, example, exported, settled
from tests.flower.keys import certificate, node_key
from tests.lengths import LONG

pytest.importorskip("torch", reason="the example trains with torch")
pytestmark = [
    pytest.mark.slow,
    # SuperLink, SuperNodes and their apps take minutes.
    pytest.mark.skipif(not LONG, reason="part of make long; the simulation engine is part of make test"),
    pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here"),
]

NODES = 3
SETTINGS = {"num-server-rounds": 2, "num-clients": NODES, "mechanism": "price", "size-high": 0.2}


class Deployed(NamedTuple):
    """What the jobs left: a folder for each, the nodes' public names, and what all processes printed."""

    folder: Path
    names: list[str]
    log: str


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    """One SuperLink for all jobs: to start it and its nodes takes longer than a job."""
    folder, home = tmp_path_factory.mktemp("there"), tmp_path_factory.mktemp("home")
    certificate(folder)
    names = [node_key(folder / f"node-{number}") for number in range(NODES)]
    node_key(folder / "stranger")
    jobs = ("paid", "loud", "kinds")
    for job in jobs:
        (folder / job).mkdir()
    own: dict[str, Any] = {"paid": SETTINGS | {"identity": "key"}, "loud": {}, "kinds": {"nodes": NODES}}
    configs = [f"{job}={as_toml(own[job] | {'folder': str(folder / job)})}" for job in jobs]
    return Deployed(folder, names, isolated(["tests.flower.deployment", str(folder), *configs], home, timeout=1500))


def test_a_job_with_keys_and_a_killed_node(deployed: Deployed, tmp_path: Path) -> None:
    """README's headline as a real job: `price`, with verified keys.

    The killed client is not paid for that round, comes back under its key, and keeps its history. Every client holds
    receipts that prove, by the public key alone, what it was paid.
    """
    there, killed = deployed.folder / "paid", deployed.names[2]

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "offline" if (round, partition, kind) == (1, 2, "train") else None

    example(tmp_path, SETTINGS, deployed.names.__getitem__, faults)
    assert exported(there, "paid")
    assert_frame_equal(settled(there, "paid"), settled(tmp_path, "paid"), check_exact=True)
    with Ledger(there / "ledger.db", job="paid", reading=True) as ledger:
        paid = [row["round"] for row in ledger.rows() if row["kind"] == "payment" and row["client"] == killed]
    assert paid == [2]
    assert (there / "paid.png").stat().st_size > 0
    public = read_public(there / "ledger.db.pub")
    for number in range(2):
        proofs = [json.loads(file.read_text()) for file in sorted((there / "receipts" / f"client-{number}").iterdir())]
        assert len(proofs) == 2
        assert not wrong_together(proofs, public)
        assert proofs[-1]["total"] > 0


def test_a_job_under_attack(deployed: Deployed, tmp_path: Path) -> None:
    """The job ends, and the honest client is paid as without the attackers."""
    with Ledger(deployed.folder / "loud" / "ledger.db", reading=True) as ledger:
        rows = list(ledger.rows())
    assert not audit(rows).findings
    answers = [row for row in rows if row["kind"] == "answer" and row["client"] == "client-1"]
    verdicts = [(row["round"], row["verdict"]) for row in answers]
    assert verdicts == [(1, "other arrays than sent"), (2, "not a number"), (3, "malformed")]
    assert "no usable name" in deployed.log
    assert paid_to(rows, "client-1") == []
    assert paid_to(rows, "client-0") == calm(tmp_path / "calm.db")


def test_every_way_of_paying(deployed: Deployed, tmp_path: Path) -> None:
    every_kind(tmp_path, NODES)
    for job in KINDS:
        assert exported(deployed.folder / "kinds", job) == exported(tmp_path, job)


def paid_to(rows: list[dict[str, Any]], client: str) -> list[int]:
    return [row["payment"] for row in rows if row["kind"] == "payment" and row["client"] == client]


def calm(place: Path) -> list[int]:
    """The same two clients in process, the second one silent when it should train."""

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if partition == 1 and kind == "train" else None

    silent: Callable[[int, int, str], Any] = faults
    incentive = Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=place)
    incentive.start(LocalGrid(toy.app(), 2, faults=silent), toy.model(), num_rounds=3)
    result = paid_to(list(incentive.ledger.rows()), "client-0")
    incentive.ledger.close()
    assert len(result) == 3
    return result
