"""The rules of the tree hold, and each of them fails on the import or the name that it is there to stop."""

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from tests.architecture.contracts import ROOT, broken, contracts, imports
from tests.architecture.names import SHARED, second_ledgers, subjects

LAYERS = "Layers, high to low"
STUDIES = "Studies, high to low"
SECRECY = "Secrecy: the server's side never sees the clients' side"
ORACLE = "The oracle is the check: it shares no search with the mechanisms"
ROWS = "One ledger: only lefi.ledger writes rows"
DATABASE = "One ledger: no database is reached past SQLAlchemy"
SIGNS = "One ledger: only lefi.ledger signs"
FLOWER = "Flower is an extra: only lefi.flower imports it"
NO_FLOWER = "Flower is an extra: the command line does without it"
FASTAPI = "FastAPI is an extra: only lefi.serve imports it"
TORCH = "Torch is an extra: only lefi.profiling imports it"
GYMNASIUM = "Gymnasium is an extra: only lefi.gym imports it"
DASK = "Dask is an extra: only lefi.cluster and lefi.studies.run.cluster import it"
CUPY = "CuPy is an extra: only lefi.surrogate.cuda imports it"
PACKAGE = "A mechanism's package is imported by lefi.mechanisms alone"
INSIDE = "The inside of lefi.mechanisms.{} is its own"

# One line each that nobody may write: the rule, who imports, what.
PLANTED = [
    (LAYERS, "lefi.arrays", "lefi.messages"),
    (LAYERS, "lefi.mechanisms.uniform", "lefi.rounds"),
    (LAYERS, "lefi.world.market", "lefi.mechanisms"),
    (LAYERS, "lefi.receipts", "lefi.ledger"),
    (LAYERS, "lefi.models.cost", "lefi.versions"),
    (LAYERS, "lefi.profiling.grid", "lefi.studies.plan.study"),
    (LAYERS, "lefi.studies.plan.study", "lefi.profiling.grid"),
    (STUDIES, "lefi.studies.plan.study", "lefi.studies.run.runner"),
    (SECRECY, "lefi.mechanisms.uniform", "lefi.world.client"),
    (SECRECY, "lefi.surrogate.bank", "lefi.world.fleet"),
    (SECRECY, "lefi.allocation", "lefi.world.market"),
    (SECRECY, "lefi.agent.sight", "lefi.world.client"),
    (SECRECY, "lefi.offers.price", "lefi.world.client"),
    (ORACLE, "lefi.optimum.rational", "lefi.allocation"),
    (ORACLE, "lefi.optimum.first_best", "lefi.mechanisms"),
    (ROWS, "lefi.receipts", "sqlalchemy"),
    (ROWS, "lefi.studies.run.store", "alembic"),
    (DATABASE, "lefi.studies.run.store", "sqlite3"),
    (DATABASE, "lefi.ledger.database", "psycopg"),
    (SIGNS, "lefi.flower.client_app", "cryptography"),
    (FLOWER, "lefi.rounds", "flwr"),
    (NO_FLOWER, "lefi.cli.simulate", "lefi.flower.incentive"),
    (FASTAPI, "lefi.cli.ledger", "fastapi"),
    (FASTAPI, "lefi.books.books", "uvicorn"),
    (TORCH, "lefi.models.shapes", "torch"),
    (GYMNASIUM, "lefi.mechanisms.drl", "gymnasium"),
    (GYMNASIUM, "lefi.cli.drl", "stable_baselines3"),
    (DASK, "lefi.studies.run.runner", "distributed"),
    (CUPY, "lefi.surrogate.bank", "cupy"),
    (PACKAGE, "lefi.world.market", "lefi.mechanisms.price"),
    (PACKAGE, "lefi.mechanisms.flat", "lefi.mechanisms.price"),
    (INSIDE.format("lefi"), "lefi.mechanisms.bara", "lefi.mechanisms.lefi.exact"),
    (INSIDE.format("pace"), "lefi.mechanisms", "lefi.mechanisms.pace.planner"),
    (INSIDE.format("price"), "lefi.mechanisms.waterfill.solver", "lefi.mechanisms.price.shop"),
    (INSIDE.format("waterfill"), "lefi.mechanisms", "lefi.mechanisms.waterfill.commons"),
]


def planted(importer: str, imported: str) -> grimp.ImportGraph:
    """The graph of the tree with one line more."""
    graph = imports().__deepcopy__({})
    if imported not in graph.modules:
        graph.add_module(imported, is_squashed=True)
    graph.add_import(importer=importer, imported=imported, line_number=1, line_contents=f"import {imported}")
    return graph


def test_every_contract_holds() -> None:
    assert len(imports().modules) > 200
    assert broken(imports()) == {}


@pytest.mark.parametrize(("rule", "importer", "imported"), PLANTED, ids=lambda value: value)
def test_a_forbidden_import_is_named(rule: str, importer: str, imported: str) -> None:
    assert importer in imports().modules
    found = broken(planted(importer, imported), rule)
    assert rule in found
    assert f"{importer} -> {imported}" in found[rule]


def test_every_contract_is_seen_to_fail() -> None:
    assert {contract.name for contract in contracts()} == {rule for rule, _, _ in PLANTED}


def test_a_room_without_a_floor_is_named() -> None:
    graph = imports().__deepcopy__({})
    graph.add_module("lefi.attic")
    assert "attic" in broken(graph, LAYERS)[LAYERS]


def test_every_package_of_a_mechanism_is_closed() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "lefi" / "mechanisms").glob("*/__init__.py")}
    assert packages
    assert {INSIDE.format(name) for name in packages} <= {contract.name for contract in contracts()}


def test_the_command_reads_the_sources(tmp_path: Path) -> None:
    """`lint-imports` itself, on a copy of the sources, before and after one line was planted in a function."""
    for path in (ROOT / "src" / "lefi").rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT / "src")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text())
    tool = str(Path(sys.executable).parent / "lint-imports")
    command = [tool, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    with (tmp_path / "lefi" / "mechanisms" / "uniform.py").open("a") as file:
        file.write("\n\ndef peek() -> object:\n    from lefi.world import market\n\n    return market\n")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "lefi.mechanisms.uniform -> lefi.world.market" in done.stdout


def test_no_name_stands_for_two_things() -> None:
    """Equal, so that a name which is shared no longer leaves the table."""
    modules = imports().modules
    assert subjects(module for module in modules if module.startswith("lefi.")) == SHARED


def test_a_second_meaning_is_named() -> None:
    assert subjects(["lefi.models.cost", "lefi.world.cost"]) == {"cost": {"lefi.models.cost", "lefi.world.cost"}}
    assert subjects(["lefi.models.cost", "lefi.studies.figures.cost", "lefi.ledger", "lefi.ledger.ledger"]) == {}


def test_there_is_one_ledger() -> None:
    assert second_ledgers(module for module in imports().modules if module.startswith("lefi.")) == []


def test_a_second_ledger_is_named() -> None:
    modules = ["lefi.ledger", "lefi.ledger.ledger", "lefi.cli.ledger", "lefi.flower.ledger", "lefi.old_ledger"]
    assert second_ledgers(modules) == ["lefi.flower.ledger", "lefi.old_ledger"]


def past_the_door(source: str) -> list[str]:
    """What a program imports from below `lefi.mechanisms`, and not from that package itself."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [name.name for node in nodes for name in node.names if isinstance(node, ast.Import)]
    names += [f"{node.module}.{name.name}" for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names]
    return [name for name in names if name.startswith("lefi.mechanisms.") and name.count(".") > 2]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.py")), ids=lambda path: path.stem)
def test_examples_take_mechanisms_from_their_package(path: Path) -> None:
    """Tests and benchmarks may look inside."""
    assert past_the_door(path.read_text()) == []


def test_a_look_inside_is_named() -> None:
    source = "from lefi.mechanisms.price.shop import buy\nfrom lefi.mechanisms import Price"
    assert past_the_door(source) == ["lefi.mechanisms.price.shop.buy"]
