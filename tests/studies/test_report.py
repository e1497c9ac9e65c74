import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.image
import pytest

from lefi.errors import LefiError
from lefi.studies.claims import CHECKS, check_claims
from lefi.studies.figures import KINDS, PLANS, draw_figures
from lefi.studies.plan.study import Study
from lefi.studies.report.report import write_report
from lefi.studies.run.results import read_results
from lefi.studies.run.runner import run_studies
from tests.blank_figures import leave_blank
from tests.extras import core_only
from tests.lengths import amount

DRAWN = [plan for plan in PLANS if not plan.extra]  # the studies of the others are not among the small results
INKED = DRAWN[:: amount(1, 5)]  # each kind of axes is among them; that every figure draws is for test_figures


class Page(HTMLParser):
    """Collects what a reader meets, and every address that a browser would follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)


@pytest.fixture(scope="module")
def report(small_results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        leave_blank(patch, but=[plan.name for plan in INKED])
        return write_report(small_results, tmp_path_factory.mktemp("report"))


def test_report_is_one_self_contained_file(report: Path) -> None:
    text = report.read_text()
    page = Page(text)
    assert page.open == []
    assert "script" not in page.tags
    assert page.tags.count("img") == len(DRAWN)
    inside = [address for address in page.addresses if address.startswith("#")]
    outside = [address for address in page.addresses if not address.startswith("#")]
    assert all(address.startswith("data:image/svg+xml;base64,") for address in outside)
    assert len(inside) >= 8
    assert all(f'id="{address[1:]}"' in text for address in inside)  # the contents bar leads somewhere
    assert not re.search(r"https?://|url\(|@import", text)


def test_report_says_what_it_measured(report: Path) -> None:
    words = " ".join(Page(report.read_text()).words)
    for check in CHECKS:
        assert check.claim in words
    for word in (
        "How uniform does",
        "round 20",
        "largest overspend",
        "scenario mixed",
        "numpy",
        "Definitions",
        "Beyond the paper",
        "lead over the best other",
        "Scenario churning",
        "judged by the current round here",
    ):
        assert word in words
    assert "missing, and with them" not in words


def test_the_first_screen_comes_first(report: Path) -> None:
    """Three numbers, three pictures, five sentences, and only then the sections."""
    text = report.read_text()
    head = text[: text.index('<h2 id="settle">')]
    assert head.count("<b>") == 3
    assert head.count("<img") == 3
    words = " ".join(Page(head.replace("<body>", "").replace('<html lang="en">', "")).words)
    for word in ("What holds", "What does not", "What the paper left out", "What hangs on our reading"):
        assert word in words
    assert "0.34% to 59%" in words
    assert "invites pretending" in words


def test_figures_are_numbered_in_the_order_they_appear(report: Path) -> None:
    numbers = [int(number) for number in re.findall(r"<h3>Figure (\d+)\.", report.read_text())]
    assert numbers == list(range(1, len(DRAWN) - 3 + 1))


def test_no_words_of_machines(report: Path) -> None:
    words = " ".join(Page(report.read_text()).words)
    assert not re.search(r"\binf USD|-0\.0+\b|`|\bnan\b", words)


def test_every_claim_stands_once_with_its_badge_and_its_rule_folded_away(report: Path) -> None:
    text = report.read_text()
    for check in CHECKS:
        assert text.count(f'id="claim-{check.key}"') == 1
    assert text.count('class="claim"') == len(CHECKS)
    assert text.count("<summary>Rule, numbers, reasons</summary>") == len(CHECKS)


def test_it_is_light_and_dark_and_prints(report: Path) -> None:
    text = report.read_text()
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert "position: sticky" in text


def test_claims_lie_beside_the_report(report: Path, small_results: Path) -> None:
    stored = json.loads((report.parent / "claims.json").read_text())
    assert stored == [claim.to_dict() for claim in check_claims(read_results(small_results))]
    assert {row["key"]: row["verdict"] for row in stored}["k"] == "confirmed"


def test_the_numbers_that_docs_quote_lie_beside_the_report(report: Path) -> None:
    text = (report.parent / "numbers.json").read_text()
    stored = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert list(stored["claims"]) == [check.key for check in CHECKS]
    assert stored["worth"]["mixed"]["fleets"] == 3
    assert stored["worth"]["mixed"]["dear"]["uniform"][0] == pytest.approx(1.0, abs=0.1)
    assert stored["over"]["waterfill"][0] == 0


def test_nothing_half_written_is_left(report: Path) -> None:
    assert sorted(path.name for path in report.parent.iterdir()) == [
        "claims.json",
        "figures",
        "numbers.json",
        "report.html",
    ]
    assert len(list((report.parent / "figures").iterdir())) == len(KINDS) * len(DRAWN)


def test_figures_are_png_and_svg(report: Path) -> None:
    for plan in INKED:
        png, svg = (report.parent / "figures" / f"{plan.name}.{kind}" for kind in ("png", "svg"))
        assert matplotlib.image.imread(png).shape[1] >= 5 * 150
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_same_results_same_files(
    report: Path, small_results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lefi.studies.figures.PLANS", DRAWN[::5])
    draw_figures(read_results(small_results), tmp_path)
    figures = list(tmp_path.iterdir())
    assert len(figures) == len(KINDS) * len(DRAWN[::5])
    for path in figures:
        assert path.read_bytes() == (report.parent / "figures" / path.name).read_bytes()


def test_deleted_and_damaged_studies_are_named(
    small_results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_blank(monkeypatch)
    some = tmp_path / "some"
    for name in ("mixed", "budget"):
        shutil.copytree(small_results / name, some / name)
    next((some / "budget").glob("*/rounds.parquet")).unlink()
    words = " ".join(Page(write_report(some, tmp_path / "out").read_text()).words)
    assert "Some studies are missing" in words
    assert "study convergence is missing (not run yet)" in words
    assert "cannot read the results" in words
    assert "scenario mixed" in words


def test_an_empty_folder_still_gives_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_blank(monkeypatch)
    words = " ".join(Page(write_report(tmp_path / "nothing", tmp_path / "out").read_text()).words)
    assert "11 not tested yet" in words


def test_one_seed_and_two_rounds_are_enough_not_to_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not core_only():  # where no other test draws the report
        leave_blank(monkeypatch)
    shared = {"mechanisms": ["lefi", "uniform"], "rounds": 2, "seeds": 1, "clients": 1}
    run_studies([Study.build({**shared, "name": name}) for name in ("convergence", "mixed")], tmp_path / "results")
    found = {
        row["key"]: row
        for row in json.loads((write_report(tmp_path / "results", tmp_path).parent / "claims.json").read_text())
    }
    assert found["c"]["verdict"] == "not tested yet"
    assert found["k"]["verdict"] == "confirmed"
    assert "A quick look: some points rest on 1 fleet only" in (tmp_path / "report.html").read_text()


def test_a_place_that_cannot_be_written_is_one_clear_line(small_results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LefiError, match="cannot write"):
        write_report(small_results, tmp_path / "file" / "out")
