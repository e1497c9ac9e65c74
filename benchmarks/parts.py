"""What each part of waterfill is worth: the lines it takes, and the share that is lost without it.

    python -m benchmarks.parts [--names jumps,steps] [--seeds 16] [--first 400] [--jobs 2] [--page docs/waterfill.md]

A part is left out by one change of one line, and played as benchmarks/changes.py says, a minute or two each, into
docs/measured/parts.json. `--page` only writes the table.
"""

import ast
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.changes import PACKAGE, USUAL, Shares, options, play, told
from benchmarks.record import write

KEPT = Path("docs", "measured", "parts.json")
MARKS = ("<!-- parts -->", "<!-- end of parts -->")  # between which a page has the table


class Part(NamedTuple):
    """A part: what it is for, the change that leaves it out, and what only it needs (functions, classes, files)."""

    what: str
    file: str
    line: str
    instead: str
    needs: tuple[str, ...]


PARTS = {
    "known": Part(
        "those of a large fleet are served by what their own answers say, who is known always",
        *(
            "plain.py",
            "fits, rises, capped = calm and",
            "fits, rises, capped = False and",
        ),
        ("plain.py", "solver.Look", "solver.look", "solver.written"),
    ),
    "tries": Part(
        "what an answer is worth later",
        *("solver.py", "HORIZON = 150.0", "HORIZON = 0.0"),
        ("candidates.foresee",),
    ),
    "powers": Part(
        "the family of powers",
        *("belief.py", "for kind in range(STAIRS):", "for kind in (0, 1, STAIRS - 2, STAIRS - 1):"),
        (),
    ),
    "steps": Part("the family of all or nothing", "belief.py", "in range(STAIRS):", "in range(STAIRS - 2):", ()),
    "stairs": Part(
        "the family of last resort, for odd curves",
        *("belief.py", "        climb(client, shared, points, s)\n", ""),
        ("belief.climb", "belief.levels", "belief.place"),
    ),
    "rough stairs": Part(
        "a curve of no family may pass for stairs",
        *("belief.py", "ODD = 200.0", "ODD = 1e9"),
        (),
    ),
    "noise": Part(
        "noise and drift are learned",
        *("commons.py", "rho=rho, drift=drift, chances", "rho=self.shared.rho, drift=0.0, chances"),
        ("commons._noise", "commons.disorder", "commons.expected"),
    ),
    "drift": Part("drift is learned", "commons.py", "drift=drift, chances", "drift=0.0, chances", ("belief.slack",)),
    "order": Part(
        "noise has to show itself by answers out of order",
        *("commons.py", "return min(1.0, ORDERLY", "return max(1.0, ORDERLY"),
        ("commons.disorder",),
    ),
    "jumps": Part(
        "a change of all prices is noticed",
        *("commons.py", "SURPRISED = 0.2", "SURPRISED = 9.0"),
        ("commons.watch",),
    ),
    "priors": Part(
        "locations of some tell those of others",
        *("commons.py", "(v < BROAD)", "(v < 0)"),
        ("commons._locations",),
    ),
    "chances": Part(
        "kinds of some tell those of others",
        *("commons.py", "seen = GUESSED + np", "seen = GUESSED + 0 * np"),
        (),
    ),
    "kinks": Part("candidates at kinks", "candidates.py", "GRID, TOPS = 12, 6", "GRID, TOPS = 12, 1", ("curves.kink",)),
    "old answers": Part(
        "of old answers those go that are close to a new one",
        *("memory.py", "if j >= SLOTS // 2 and", "if j < 0 and"),
        ("memory.place",),
    ),
    "looks": Part(
        "candidates come closer, look by look",
        *("solver.py", "STAGES, CLOSER = 5, 4", "STAGES, CLOSER = 1, 4"),
        (),
    ),
    "second choices": Part(
        "who cannot pay for a leap takes what the money left over buys",
        *("solver.py", "left, attempts=8)", "left)"),
        (),
    ),
}


def lines(part: Part) -> int:
    """Of what only this part needs."""
    count = 1
    for need in part.needs:
        file, _, name = need.partition(".")
        text = Path(PACKAGE, f"{file}.py").read_text()
        if name == "py":
            count += len(text.splitlines())
            continue
        nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.ClassDef))
        (node,) = (n for n in nodes if n.name == name)
        count += (node.end_lineno or 0) - min([node.lineno, *(one.lineno for one in node.decorator_list)]) + 1
    return count


def without(part: Part, package: Path) -> None:
    """Leave the part out of the sources in this folder."""
    path = package / part.file
    before, _, after = path.read_text().partition(part.line)
    if not after or part.line in after:
        raise ValueError(f"{part.file} has not one {part.line!r}")
    path.write_text(before + part.instead + after)


def table() -> Iterator[str]:
    """Parts, their lines, and what is lost without them."""
    kept: dict[str, Shares] = json.loads(KEPT.read_text())
    yield "| part | what it is | lines | without it |\n|---|---|---|---|"
    for name, part in PARTS.items():
        if name in kept:
            yield f"| {name} | {part.what} | {lines(part)} | {told(kept[USUAL], kept[name])} |"


def main() -> None:
    chosen = options(__doc__, 16, 400).parse_args()
    if chosen.page:
        write(chosen.page, table(), MARKS)
    else:
        names = chosen.names.split(",") if chosen.names else PARTS
        play({name: partial(without, PARTS[name]) for name in names}, KEPT, chosen)


if __name__ == "__main__":
    main()
