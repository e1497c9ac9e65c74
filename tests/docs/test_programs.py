"""Every program on the pages runs and gives what its page says: Python blocks, notebooks, TOML of studies."""

import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lefi.models.presets import shipped
from lefi.studies import Study
from tests.docs.programs import notebook, programs, run_cells
from tests.docs.prose import PAGES, ROOT, pieces
from tests.docs.shown import SHOWN
from tests.lengths import LONG

DOCS = ROOT / "docs"
NOTEBOOKS = [page for page in PAGES if any(piece.kind == "{code-cell}" for piece in pieces(page.read_text()))]
# The gallery and the tutorials of studies take long: `make long` and `make docs` run them.
TAKEN = NOTEBOOKS if LONG else [page for page in NOTEBOOKS if page.stem == "paid_job"]
# Games and plans of the page, shorter.
SHORTER = {
    "rounds=40": "rounds=2",
    '"cifar10"': '"digits"',
    "size_high=5.0": "size_high=0.2",
    "target=0.5": "target=0.6",
    "clients=10**7, budget=5e6": "clients=50, budget=25.0",
    '"local:2"': '"here"',
}
RUN = ("README.md", "docs/cluster.md", "docs/extending.md", "docs/game.md", "docs/plan.md", "docs/surrogate.md")
# Pages whose programs run elsewhere, and where.
ELSEWHERE = {
    "drl": "tests/gym/test_environment.py: they need the extra drl",
    "service": "tests/serve/test_page.py: they need a service",
    "trust": "tests/flower/test_watch.py: they need a reference and a Flower job",
}


@pytest.mark.slow
@pytest.mark.parametrize("page", TAKEN, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_the_notebook_shows_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages of the gallery are drawn: that their pictures are there is all that they say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with notebook():
        names = run_cells(page)
    if page.parent.name != "gallery":
        SHOWN[page.stem](names, capsys.readouterr().out)
    sys.modules.pop("greedy", None)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_programs_of_the_page_give_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for program in programs(ROOT / name):
        for long, short in SHORTER.items():
            program = program.replace(long, short)
        exec(compile(program, name, "exec"), names)
    SHOWN[Path(name).stem](names, capsys.readouterr().out)


def test_every_page_with_a_program_is_run() -> None:
    run = {Path(name).stem for name in RUN} - {"README"} | set(ELSEWHERE)
    assert {page.stem for page in PAGES if programs(page)} == run
    assert all((ROOT / where.partition(":")[0]).exists() for where in ELSEWHERE.values())


@pytest.mark.parametrize("page", ["extending.md", "reference/studies.md"])
def test_the_study_of_the_page_is_one(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "examples" / "greedy.py", tmp_path / "mine.py")
    (tmp_path / "mine.py").write_text((tmp_path / "mine.py").read_text().replace("Greedy", "Mine"))
    monkeypatch.chdir(tmp_path)
    read = [tomllib.loads(text) for text in programs(DOCS / page, "toml")]
    studies = [Study.build(values) for values in read if "mechanisms" in values]
    assert [len(study.sweeps) for study in studies] in ([1], [2])


def test_the_reference_lists_every_key_of_a_study() -> None:
    rows = [piece.text for piece in pieces((DOCS / "reference" / "studies.md").read_text()) if piece.kind == "row"]
    assert {row.split("`")[1] for row in rows if "`" in row} >= set(Study.model_fields)
    assert "digits" in shipped()
