"""Docstrings as the site shows them: names between backticks are code, and aligned lists of arguments are lists."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

NAMED = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \w+)*) {2,}(\S.*)$")  # `name   what it is`, as in a table
CODE = re.compile(r"(?<![`:])`([^`]+)`(?![`_])")
PROMPT = (">>>", "...")


def shown(lines: Iterable[str]) -> Iterator[str]:
    """The same lines as reStructuredText."""
    listing = example = False
    for line in lines:
        example = line.startswith(PROMPT) or (example and bool(line.strip()))
        if example:
            yield line
            continue
        coded = CODE.sub(r"``\1``", line)
        named = NAMED.match(coded)
        if named:
            yield from ([] if listing else [""])
            yield f"- ``{named[1]}``: {named[2]}"
            listing = True
        elif listing and line.startswith("   "):
            yield "  " + coded.strip()
        else:
            yield from ([""] if listing and line.strip() else [])
            yield coded
            listing = False


def process(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = list(shown(lines))


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
