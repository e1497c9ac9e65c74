"""What keeps the source readable: short files, short functions, a first line that says what it is, plain ASCII."""

import ast
from pathlib import Path

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


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def long_functions(path: Path) -> dict[str, int]:
    """Functions of a file with too many lines, and how many they have."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(parsed(path)) if isinstance(node, kinds)]
    # From the first line of the body: the signature of a command is its list of options.
    long = {node.name: node.end_lineno - node.body[0].lineno + 1 for node in functions if node.end_lineno is not None}
    return {name: lines for name, lines in long.items() if lines > FUNCTION_LINES}


def test_files_are_short() -> None:
    lines = {name_of(path): len(path.read_text().splitlines()) for path in SOURCE}
    assert {name: count for name, count in lines.items() if count > FILE_LINES} == {}


def test_modules_start_with_a_line_that_says_what_they_are() -> None:
    assert [name_of(path) for path in SOURCE if not ast.get_docstring(parsed(path))] == []


def test_functions_are_short() -> None:
    assert {name_of(path): long for path in SOURCE if (long := long_functions(path))} == {}


def test_texts_are_plain_ascii() -> None:
    lines = ((path, number, line) for path in TEXTS for number, line in enumerate(path.read_text().splitlines(), 1))
    assert [f"{name_of(path)}:{number}" for path, number, line in lines if not line.isascii()] == []
