"""The developers' page names for every promise of the security page a test that there is."""

import re

from tests.docs.prose import ROOT, cells, pieces


def rows(page: str) -> list[list[str]]:
    found = [cells(one.lines[0]) for one in pieces((ROOT / "docs" / page).read_text()) if one.kind == "row"]
    return [row for row in found if row[0] != "threat" and not row[0].startswith("--")]


def test_promises_are_those_of_the_security_page() -> None:
    assert [row[:2] for row in rows("promises.md")] == rows("security.md")


def test_every_promise_has_a_test_that_exists() -> None:
    assert len(rows("promises.md")) > 30
    for *_, named in rows("promises.md"):
        if named == "the same":
            continue
        for place, test in re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", named):
            assert f"def {test}" in (ROOT / place).read_text(), f"{place}::{test}"
