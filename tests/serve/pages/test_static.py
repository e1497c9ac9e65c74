"""The files that a browser reads: short, plain, from here alone, and nothing that a strict content policy refuses."""

import re
from pathlib import Path

import pytest

from lefi.serve.pages import STATIC

ROOT = Path(STATIC)
OURS = sorted(path for kind in ("*.html", "*.css", "*.js") for path in ROOT.rglob(kind) if "vendor" not in path.parts)
LINES = 300


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_files_are_short_and_plain(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= LINES
    assert text.isascii()
    assert path.suffix == ".html" or text.startswith(("// ", "/* ")), "a file starts with a line that says what it is"


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_nothing_is_asked_of_another_place(path: Path) -> None:
    assert re.findall(r"https?://|//[a-z]+\.[a-z]+/", path.read_text()) == []


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_no_markup_is_made_of_strings(path: Path) -> None:
    """A client may call itself <script>."""
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", path.read_text())
        == []
    )


def test_the_page_holds_no_script_and_no_style() -> None:
    text = (ROOT / "index.html").read_text()
    assert re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=", text) == []


def test_every_import_is_there() -> None:
    for path in ROOT.joinpath("js").glob("*.js"):
        for name in re.findall(r'from "\./([a-z]+\.js)"|import\("\./([a-z]+\.js)"\)', path.read_text()):
            assert (path.parent / "".join(name)).is_file()


def test_the_chart_library_has_its_licence() -> None:
    assert "MIT" in (ROOT / "vendor" / "uplot-LICENSE.txt").read_text()
