"""What keeps the source readable: short files, short functions, a first line that says what it is, plain ASCII."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = sorted((ROOT / "src").rglob("*.py"))
TEXTS = [
    *SOURCE,
    *sorted((ROOT / "tests").rglob("*.py")),
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FILE_LINES, FUNCTION_LINES = 300, 40


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_source_is_there() -> None:
    assert len(SOURCE) > 20


@pytest.mark.parametrize("path", SOURCE, ids=name_of)
def test_files_are_short_and_say_what_they_are(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES
    assert ast.get_docstring(ast.parse(text)), "a module starts with a line that says what it is"


@pytest.mark.parametrize("path", SOURCE, ids=name_of)
def test_functions_are_short(path: Path) -> None:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    # From the first line of the body: the signature of a command is its list of options.
    long = {node.name: node.end_lineno - node.body[0].lineno + 1 for node in functions if node.end_lineno is not None}
    assert {name: lines for name, lines in long.items() if lines > FUNCTION_LINES} == {}


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_texts_are_plain_ascii(path: Path) -> None:
    odd = [number for number, line in enumerate(path.read_text().splitlines(), start=1) if not line.isascii()]
    assert odd == []
