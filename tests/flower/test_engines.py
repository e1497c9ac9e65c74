"""The example app gives the same ledger in process, in Flower's simulation engine and in deployment."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from flwr.app import Context, RecordDict
from polars.testing import assert_frame_equal

from lefi.flower import LocalGrid
from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.exports import export
from lefi.ledger.keys import read_public
from lefi.ledger.proofs import wrong_together
from lefi.ledger.views import frame
from tests.flower.isolation import APP, KINDS_APP, isolated, possible
from tests.flower.keys import certificate, node_key

pytest.importorskip("torch", reason="the example trains with torch")
namespaces = pytest.mark.skipif(not possible(), reason="no network and process namespaces for us here")


def config(**settings: Any) -> dict[str, Any]:
    stated = tomllib.loads((APP / "pyproject.toml").read_text())["tool"]["flwr"]["app"]["config"]
    assert set(settings) <= set(stated)
    return {**stated, **settings}


def as_toml(settings: Mapping[str, Any]) -> str:
    """Settings as `flwr run --run-config` takes them."""
    texts = {True: "true", False: "false"}
    return " ".join(
        f"{name}={texts[value] if isinstance(value, bool) else repr(value)}" for name, value in settings.items()
    )


def in_process(
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    names: Callable[[int], str] | None = None,
    faults: Any = None,
) -> None:
    monkeypatch.syspath_prepend(str(APP))
    from paid.client_app import app
    from paid.server_app import main

    whole = config(**settings)
    node_config = (lambda i: {"client-id": names(i)}) if names else None
    grid = LocalGrid(app, int(whole["num-clients"]), run_config=whole, node_config=node_config, faults=faults)
    main(grid, Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config=whole))


def exported(folder: Path, job: str = "paid") -> bytes:
    """The ledger without the clock; accuracies of the trained models are in it."""
    with Ledger(folder / "ledger.db", job=job, reading=True) as ledger:
        found = verify(ledger, read_public(folder / "ledger.db.pub"))
        assert not found.findings
        assert found.paid > 0
        export(frame(ledger.rows(), clock=False), folder / "out.csv")
    return (folder / "out.csv").read_bytes()


def settled(folder: Path) -> pl.DataFrame:
    """The same without the job's own row, which says how clients are identified."""
    with Ledger(folder / "ledger.db", job="paid") as ledger:
        return frame(ledger.rows(), clock=False).filter(pl.col("kind") != "job")


def folders(tmp_path: Path, *names: str) -> list[Path]:
    made = [tmp_path / name for name in names]
    for folder in made:
        folder.mkdir()
    return made


@pytest.mark.slow
@namespaces
def test_every_way_of_paying_in_the_simulation_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run of the engine, a job for every kind: the ledgers are those of the same jobs in process."""
    pytest.importorskip("ray", reason="Flower's simulation engine needs ray")
    monkeypatch.syspath_prepend(str(KINDS_APP))
    from kinds.client_app import app
    from kinds.server_app import KINDS, NODES, ROUNDS, main

    local, there, home = folders(tmp_path, "local", "there", "home")
    grid = LocalGrid(app, NODES, run_config={"folder": str(local)})
    main(grid, Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config={"folder": str(local)}))
    isolated(["tests.flower.simulation", str(KINDS_APP), str(NODES), f"folder='{there}'"], home, timeout=600)
    for job in KINDS:
        assert exported(there, job) == exported(local, job)
        with Ledger(there / "ledger.db", job=job, reading=True) as ledger:
            assert ledger.settled == ROUNDS


@pytest.mark.slow
@namespaces
def test_deployment_with_keys_and_a_killed_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """README's headline as a real job: `price`, with verified keys.

    The killed client is not paid for that round, comes back under its key, and keeps its history. Every client holds
    receipts that prove, by the public key alone, what it was paid.
    """
    local, there, home = folders(tmp_path, "local", "there", "home")
    certificate(there)
    names = [node_key(there / f"node-{number}") for number in range(3)]
    node_key(there / "stranger")
    settings = {"num-server-rounds": 3, "num-clients": 3, "mechanism": "price", "size-high": 0.2}

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "offline" if (round, partition, kind) == (2, 2, "train") else None

    in_process(monkeypatch, settings | {"folder": str(local)}, names.__getitem__, faults)
    remote = as_toml(settings | {"folder": str(there), "identity": "key"})
    isolated(["tests.flower.deployment", str(there), remote], home, timeout=900)
    assert exported(there)
    assert_frame_equal(settled(there), settled(local), check_exact=True)
    with Ledger(there / "ledger.db", job="paid") as ledger:
        paid = [row["round"] for row in ledger.rows() if row["kind"] == "payment" and row["client"] == names[2]]
    assert paid == [1, 3]
    assert (there / "paid.png").stat().st_size > 0
    public = read_public(there / "ledger.db.pub")
    for number in range(3):
        proofs = [json.loads(file.read_text()) for file in sorted((there / "receipts" / f"client-{number}").iterdir())]
        assert len(proofs) == (2 if number == 2 else 3)
        assert not wrong_together(proofs, public)
        assert proofs[-1]["total"] > 0
