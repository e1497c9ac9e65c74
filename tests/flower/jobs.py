"""Jobs that are run in process and on an engine of Flower, and their ledgers, to be compared."""

import importlib
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from flwr.app import Context, RecordDict

from lefi.flower import LocalGrid
from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.exports import export
from lefi.ledger.keys import read_public
from lefi.ledger.views import frame
from tests.flower.isolation import APP, KINDS_APP

KINDS = ("price", "contract", "pool", "contest", "auction", "waterfill")


def every_kind(folder: Path, nodes: int) -> None:
    """A job for every way of paying, in process."""
    _play(KINDS_APP, "kinds", {"folder": str(folder), "nodes": nodes}, nodes)


def example(folder: Path, settings: Mapping[str, Any], names: Callable[[int], str], faults: Any) -> None:
    """The example app in process; its clients are called as those of the deployment."""
    stated = tomllib.loads((APP / "pyproject.toml").read_text())["tool"]["flwr"]["app"]["config"]
    assert set(settings) <= set(stated)
    whole = {**stated, **settings, "folder": str(folder)}
    _play(APP, "paid", whole, int(whole["num-clients"]), names, faults)


def _play(
    app: Path, package: str, config: Any, nodes: int, names: Callable[[int], str] | None = None, faults: Any = None
) -> None:
    with _importable(app):
        clients = importlib.import_module(f"{package}.client_app").app
        main = importlib.import_module(f"{package}.server_app").main
        node_config = (lambda number: {"client-id": names(number)}) if names else None
        grid = LocalGrid(clients, nodes, run_config=config, node_config=node_config, faults=faults)
        main(grid, Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config=config))


@contextmanager
def _importable(app: Path) -> Iterator[None]:
    sys.path.insert(0, str(app))
    try:
        yield
    finally:
        sys.path.remove(str(app))


def as_toml(settings: Mapping[str, Any]) -> str:
    """Settings as `flwr run --run-config` takes them."""
    texts = {True: "true", False: "false"}
    return " ".join(
        f"{name}={texts[value] if isinstance(value, bool) else repr(value)}" for name, value in settings.items()
    )


def exported(folder: Path, job: str) -> bytes:
    """The ledger without the clock; accuracies of the trained models are in it."""
    with Ledger(folder / "ledger.db", job=job, reading=True) as ledger:
        found = verify(ledger, read_public(folder / "ledger.db.pub"))
        assert not found.findings
        assert found.paid > 0
        assert ledger.settled == 2
        export(frame(ledger.rows(), clock=False), folder / "out.csv")
    return (folder / "out.csv").read_bytes()


def settled(folder: Path, job: str) -> pl.DataFrame:
    """The same without the job's own row, which says how clients are identified."""
    with Ledger(folder / "ledger.db", job=job, reading=True) as ledger:
        return frame(ledger.rows(), clock=False).filter(pl.col("kind") != "job")
