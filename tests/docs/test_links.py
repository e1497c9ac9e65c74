"""Links inside the repository lead somewhere, anchors too, and every page can be reached."""

import re
from pathlib import Path

import pytest

from tests.docs.prose import LINK, PAGES, ROOT, pieces

EVERY = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *PAGES]
ALONE = {"README", "index"}  # the page of the folder on a code host, and the first page of the site


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(line.lstrip("#")) for line in page.read_text().splitlines() if line.startswith("#")}


def broken(page: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere."""
    shown = "\n".join(piece.text for piece in pieces(text) if piece.kind in ("text", "row"))
    found = []
    for _, target in LINK.findall(shown):
        place, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", place):
            continue  # elsewhere: nothing is fetched in a test
        there = page if not place else page.parent / place
        if not there.exists() or (anchor and anchor not in anchors(there)):
            found.append(target)
    return found


@pytest.mark.parametrize("page", EVERY, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    """The control."""
    text = "See [a](nothing.md), [b](plan.md#nowhere), [c](#nowhere), [d](plan.md#what-to-mind).\n"
    assert broken(ROOT / "docs" / "game.md", text) == ["nothing.md", "plan.md#nowhere", "#nowhere"]


def test_every_page_stands_in_a_table_of_contents() -> None:
    docs = ROOT / "docs"
    listed = set()
    for page in (docs / "index.md", docs / "gallery" / "index.md"):
        for piece in pieces(page.read_text()):
            if piece.kind == "{toctree}":
                entries = [line for line in piece.lines if line and not line.startswith(":")]
                names = [re.sub(r".*<(.*)>", r"\1", line) for line in entries]
                listed |= {(page.parent / f"{name}.md").resolve() for name in names}
    assert {page.resolve() for page in PAGES if page.stem not in ALONE} - listed == set()
    assert all(page.exists() for page in listed)
