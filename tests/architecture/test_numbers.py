"""The tables of README and docs are what the commands wrote: docs/numbers.json and the shipped tables, word by word."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import pages
from lefi.studies.report.markdown import marked
from lefi.studies.report.tables import BLOCKS, KEPT, PAGES, written

ROOT = Path(__file__).parents[2]
SETTINGS = ("default", "value")  # columns of numbers that somebody chose
NUMBERS = json.loads((ROOT / KEPT).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_every_marked_table_is_as_it_was_written(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- table: " in text
    assert written(text, NUMBERS) == text, "run `python -m lefi.studies.report.tables results/paper` after `lefi paper`"


@pytest.mark.parametrize("page", pages.PAGES)
def test_every_table_of_a_benchmark_is_as_it_was_written(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert marked(text, pages.BLOCKS, pages.read(ROOT)) == text, "run `python -m benchmarks.pages` after the benchmark"


def test_plans_read_the_power_that_was_measured() -> None:
    measured = (ROOT / pages.KEPT / "trust.json").read_text(encoding="utf-8")
    assert (ROOT / pages.POWER).read_text(encoding="utf-8") == measured, "run `python -m benchmarks.pages`"


def test_every_table_stands_somewhere() -> None:
    docs = [ROOT / page for page in {*PAGES, *pages.PAGES}]
    found = {name for page in docs for name in re.findall(r"<!-- table: (\w+) -->", page.read_text(encoding="utf-8"))}
    assert found == set(BLOCKS) | set(pages.BLOCKS)


def unmarked(text: str) -> list[str]:
    """Heads of tables outside of all marks with a column of numbers that are no settings: nobody compares those."""
    found = []
    for table in re.findall(
        r"(?:^\|.*\n)+", re.sub(r"<!-- .*? -->.*?<!-- end.*?-->", "", text, flags=re.S), flags=re.M
    ):
        head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
        for name, *cells in zip(head, *(row for row in rows if len(row) == len(head)), strict=True):
            numbers = sum(bool(re.match(r"[-+]?\d[\d.,]*(?![\w.-])", cell)) for cell in cells)
            if name not in SETTINGS and 2 * numbers >= len(cells) > 0:
                found.append(" | ".join(head))
                break
    return found


@pytest.mark.parametrize(
    "page", sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "waterfill.md")
)
def test_a_table_of_measured_numbers_is_marked(page: str) -> None:
    assert not unmarked((ROOT / "docs" / page).read_text(encoding="utf-8"))


def test_a_table_that_somebody_typed_is_found() -> None:
    """The control: the search above can fail, and settings are none of its business."""
    table = "| {} | share |\n|---|---|\n| x | 0.93 |\n"
    assert unmarked(table.format("mechanism")) == ["mechanism | share"]
    assert not unmarked("<!-- table: x -->\n" + table.format("mechanism") + "<!-- end -->\n")
    assert not unmarked(table.format("setting").replace("share", "default"))


def test_a_number_that_somebody_changed_by_hand_is_found() -> None:
    """The control: the comparison above can fail."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    forged = re.sub(r"\d+% of the money\*\*", "2% of the money**", text)
    assert forged != text
    assert written(forged, NUMBERS) != forged


def test_verdicts_in_the_docs_cover_every_claim() -> None:
    from lefi.studies.claims import CHECKS

    assert list(NUMBERS["claims"]) == [check.key for check in CHECKS]
    assert [claim[0] for claim in NUMBERS["claims"].values()] == [check.claim for check in CHECKS]
