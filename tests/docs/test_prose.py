"""The words of README and docs: short paragraphs; files of this repository are named on the developers' pages only."""

from pathlib import Path

import pytest

from tests.docs.prose import PAGES, READERS, ROOT, Piece, cells, internal_files, pieces

LINES = 5  # of a paragraph: what an eye takes in at once
WIDTH = 130  # characters of a line in the source, so that five long lines do not hide a sixth
CELL = 330  # characters in a cell of a table: a paragraph of five lines in a column of half a page
EVERY = [ROOT / "README.md", *PAGES]


def too_long(piece: Piece) -> bool:
    if piece.kind == "row":
        return any(len(cell) > CELL for cell in cells(piece.lines[0]))
    return piece.kind == "text" and (len(piece.lines) > LINES or len(piece.text) > LINES * WIDTH)


@pytest.mark.parametrize("page", EVERY, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_paragraph_is_a_wall(page: Path) -> None:
    found = [f"{page.relative_to(ROOT)}:{piece.line}" for piece in pieces(page.read_text()) if too_long(piece)]
    assert found == []


@pytest.mark.parametrize("page", READERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_readers_meet_no_file_of_the_repository(page: Path) -> None:
    found = [f"{page.relative_to(ROOT)}:{one.line} {internal_files(one.text)}" for one in pieces(page.read_text())]
    assert [line for line in found if not line.endswith("[]")] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A claim is judged by `world/client.py` alone.", ["world/client.py"]),
        ("Run `python -m benchmarks.price` again.", ["benchmarks.price"]),
        ("See [game.md](game.md).", ["game.md"]),
        ("See [the game](game.md), and write `mine.py`.", []),
    ],
)
def test_a_file_of_the_repository_is_found(text: str, found: list[str]) -> None:
    """The control."""
    assert internal_files(text) == found


def test_a_wall_is_found() -> None:
    """The control, for a paragraph, an item of a list, a cell; code may be long."""
    wall, code = "word " * 6 + "\n", "    code\n"
    assert [too_long(one) for one in pieces(wall * 6 + "\n" + wall * 5 + "\n" + code * 9)] == [True, False, False]
    items = "- " + wall * 6 + "- " + wall + "\n| " + "x" * 400 + " | y |\n"
    assert [too_long(one) for one in pieces(items)] == [True, False, True]
