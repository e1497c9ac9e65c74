"""What happens to waterfill at half and at twice each of its constants, compiled ones too.

    python -m benchmarks.constants [--names HORIZON,VAGUE] [--seeds 8] [--first 300] [--jobs 2]
        [--page docs/waterfill.md] [--size]

Each is changed alone, and played as benchmarks/changes.py says, into docs/measured/constants.json. `--page` only writes
the table, `--size` prints how much there is to read.
"""

import ast
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.changes import PACKAGE, USUAL, Shares, options, play, told
from benchmarks.record import write

KEPT = Path("docs", "measured", "constants.json")
MARKS = ("<!-- constants -->", "<!-- end of constants -->")  # between which a page has the table
FACTORS = (0.5, 2.0)
GIVEN = {"curves.KINDS"}  # no choices


class Constant(NamedTuple):
    """A number of a module, where it stands, and what the comment on its line says."""

    file: str
    name: str  # file.NAME, or file.NAME[1] of several numbers
    value: float
    line: int
    start: int
    end: int
    why: str


def constants(package: Path) -> Iterator[Constant]:
    """The numbers that modules of a package give names to."""
    for path in sorted(package.glob("*.py")):
        text = path.read_text()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign):
                why = text.splitlines()[node.lineno - 1].partition("  # ")[2]
                for name, number in named(node.targets[0], node.value):
                    place = number.lineno, number.col_offset, number.end_col_offset or 0
                    if f"{path.stem}.{name}".partition("[")[0] not in GIVEN:
                        yield Constant(path.name, f"{path.stem}.{name}", ast.literal_eval(number), *place, why)


def named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.Constant]]:
    """The names in capitals and their numbers in an assignment, of tuples each."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from named(one, its)
    elif isinstance(target, ast.Name) and target.id.isupper():
        if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
            yield target.id, value
        elif isinstance(value, ast.Tuple):
            for i, its in enumerate(value.elts):
                yield from named(ast.Name(f"{target.id}[{i}]".upper()), its)


def size(package: Path) -> str:
    """How much there is to read: lines, names of numbers, and numbers other than 0, 1, 2."""
    texts = [path.read_text() for path in sorted(package.glob("*.py"))]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    numbers = [n.value for n in nodes if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    wordy = max(len(n.args.args) for n in nodes if isinstance(n, ast.FunctionDef))
    names = {c.name.partition("[")[0] for c in constants(package)}
    lines = [len(text.splitlines()) for text in texts]
    tuned = sum(number not in (0, 1, 2) for number in numbers)
    long = f"{sum(lines)} lines, {max(lines)} in the longest file, at most {wordy} arguments"
    return f"{long}; {len(names)} named numbers, {tuned} numbers other than 0, 1, 2"


def changed(text: str, constant: Constant, factor: float) -> str:
    """The source with the constant times the factor; a whole number stays one, and at least 1."""
    lines, value = text.splitlines(keepends=True), constant.value * factor
    said = repr(max(int(value), 1) if isinstance(constant.value, int) else value)
    line = lines[constant.line - 1]
    lines[constant.line - 1] = line[: constant.start] + said + line[constant.end :]
    return "".join(lines)


def change(constant: Constant, factor: float, package: Path) -> None:
    """Change a constant in the sources in this folder."""
    path = package / constant.file
    path.write_text(changed(path.read_text(), constant, factor))


def key(constant: Constant, factor: float) -> str:
    return f"{constant.name} x {factor:g}"


def table(kept: dict[str, Shares]) -> Iterator[str]:
    """Of the constants that were played: what they are, and what moves."""
    yield "| constant | value | what it is | half | twice |\n|---|---|---|---|---|"
    for one in constants(Path(PACKAGE)):
        if all(key(one, factor) in kept for factor in FACTORS):
            half, twice = (told(kept[USUAL], kept[key(one, factor)]) for factor in FACTORS)
            yield f"| {one.name} | {one.value:g} | {one.why} | {half} | {twice} |"


def main() -> None:
    parser = options(__doc__, 8, 300)
    parser.add_argument("--size", action="store_true", help="print how much there is to read, instead of playing")
    chosen = parser.parse_args()
    if chosen.size:
        print(size(Path(PACKAGE)))
    elif chosen.page:
        write(chosen.page, table(json.loads(KEPT.read_text())), MARKS)
    else:
        wanted = {name for name in chosen.names.split(",") if name}
        every = [c for c in constants(Path(PACKAGE)) if not wanted or c.name.split(".")[1] in wanted]
        play({key(c, f): partial(change, c, f) for c in every for f in FACTORS}, KEPT, chosen)


if __name__ == "__main__":
    main()
