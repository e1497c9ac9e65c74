"""What stands on the pages: paragraphs, cells of tables, code blocks, links, and names of files."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DEVELOPERS = ("architecture", "contributing", "surrogate", "promises", "numbers", "changelog")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
READERS = [ROOT / "README.md", *(page for page in PAGES if page.stem not in DEVELOPERS)]

FENCE = re.compile(r"^\s*(`{3,}|:{3,})(\{?[\w-]*\}?)(.*)$")
ITEM = re.compile(r"^\s*([-*]|\d+\.) ")
LINK = re.compile(r"\[([^\]\[]*)\]\(([^)\s]+)\)")
FILE = re.compile(r"[\w./-]*\w\.(?:py|cu|md|json|sh)\b")
INTERNAL = ("src/", "tests/", "benchmarks/", "scripts/", "docs/")
YOURS = {"mine.py", "client_app.py", "server_app.py", "__init__.py"}  # names that readers give to files of their own
OWN = {path.name for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")} - YOURS


class Piece(NamedTuple):
    """A paragraph, an item of a list, a row of a table or a block of code, with the line where it begins."""

    line: int
    kind: str  # text, row, or the language of the code
    lines: list[str]

    @property
    def text(self) -> str:
        return " ".join(line.strip() for line in self.lines)


def pieces(text: str) -> Iterator[Piece]:
    """Everything on a page that is not a heading, in order."""
    lines = text.splitlines()
    at = lines.index("---", 1) + 1 if lines[:1] == ["---"] else 0
    open_text: list[str] = []
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        blank = not line.strip() or line.startswith(("#", "<!--", "|")) or fence is not None
        indented = line.startswith("    ") and not open_text
        if open_text and (blank or ITEM.match(line)):
            yield Piece(at - len(open_text) + 1, "text", open_text)
            open_text = []
        if fence is not None and fence[1].startswith("`"):
            end = next(row for row in range(at + 1, len(lines)) if lines[row].strip() == fence[1])
            yield Piece(at + 1, fence[2] or "plain", lines[at + 1 : end])
            at = end
        elif line.startswith("|"):
            yield Piece(at + 1, "row", [line])
        elif indented and line.strip():
            end = next((row for row in range(at, len(lines)) if lines[row][:4].strip()), len(lines))
            yield Piece(at + 1, "plain", [each[4:] for each in lines[at:end]])
            at = end - 1
        elif not blank:
            open_text.append(line)
        at += 1
    if open_text:
        yield Piece(at - len(open_text) + 1, "text", open_text)


def cells(row: str) -> list[str]:
    """What stands in a row of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def internal_files(text: str) -> list[str]:
    """Names of files of the repository that only developers know; where a link leads is no name."""
    shown = LINK.sub(r"\1", text)
    named = [name for name in FILE.findall(shown) if name.startswith(INTERNAL) or Path(name).name in OWN]
    modules = re.findall(r"python -m ((?:tests|benchmarks|lefi)\.[\w.]+)", shown)
    pages = [name for name in FILE.findall(shown) if name.endswith(".md") and (ROOT / "docs" / name).exists()]
    return [*named, *modules, *pages]
