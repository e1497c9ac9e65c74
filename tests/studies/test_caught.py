"""The section "Who was caught, and who was not" says what the shipped power table says."""

import json

from lefi.studies.report.caught import caught_cells, caught_parts, honest_sentence
from lefi.studies.report.outline import OUTLINE
from lefi.studies.run.results import Results
from lefi.trust.deterrence import SHIPPED

ROWS = json.loads(SHIPPED.read_text())


def test_every_way_to_cheat_has_its_row_and_half_of_the_work_stands_last() -> None:
    cells = caught_cells(ROWS)
    assert [row[0] for row in cells][-2:] == ["half", "half, scaled"]
    assert len(cells) == len({row["kind"] for row in ROWS}) - 1
    (idle,) = [row for row in cells if row[0] == "idle"]
    by = {row["which"]: row for row in ROWS if row["kind"] == "idle"}
    assert idle[1] == "0%"
    assert idle[2].split(", ")[-1] == f"{100 * by['steady']['by 20']:.0f}%"


def test_honest_clients_that_were_accused_are_counted() -> None:
    rows = [{"kind": "honest", "clients": 100, "by 20": 0.02}, {"kind": "honest", "clients": 300, "by 20": 0.0}]
    assert honest_sentence(rows) == "Of 400 honest clients 2 were accused, 0.50%."


def test_the_report_asks_for_it() -> None:
    (section,) = [one for one in OUTLINE if "caught" in one.tables]
    assert section.question == "Who was caught, and who was not?"
    page = "".join(caught_parts(Results({}, {})))
    assert "quarter, scaled" in page
    assert "only audits deter it" in page
