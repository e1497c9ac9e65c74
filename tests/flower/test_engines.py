"""The example app gives the same ledger in process, in Flower's simulation engine and in deployment."""

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
from lefi.ledger.audit import audit
from lefi.ledger.exports import export
from lefi.ledger.views import frame
from tests.flower.isolation import APP, isolated, possible
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


def exported(folder: Path) -> bytes:
    """The ledger without the clock; accuracies of the trained models are in it."""
    with Ledger(folder / "ledger.db", job="paid") as ledger:
        found = audit(ledger.rows())
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
def test_simulation_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Flower's simulation engine needs ray")
    local, there, home = folders(tmp_path, "local", "there", "home")
    settings = {"num-server-rounds": 3, "num-clients": 4, "mechanism": "uniform", "two-phase": True}
    in_process(monkeypatch, settings | {"folder": str(local)})
    isolated(["tests.flower.simulation", "4", as_toml(settings | {"folder": str(there)})], home, timeout=600)
    assert exported(there) == exported(local)
    assert (there / "paid.png").stat().st_size > 0


@pytest.mark.slow
@namespaces
def test_deployment_with_keys_and_a_killed_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The killed client is not paid for that round, comes back under its key, and keeps its history."""
    local, there, home = folders(tmp_path, "local", "there", "home")
    certificate(there)
    names = [node_key(there / f"node-{number}") for number in range(3)]
    node_key(there / "stranger")
    settings = {"num-server-rounds": 3, "num-clients": 3, "mechanism": "uniform", "size-high": 0.2}

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
