"""Tables as Markdown has them, and where they stand on a page: between `<!-- table: name -->` and `<!-- end -->`."""

import re
from collections.abc import Callable
from typing import Any


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table of head and rows."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("|  |", "| |")


def marked(text: str, blocks: dict[str, Callable[[Any], str]], numbers: Any) -> str:
    """The page with those marked tables that `blocks` names written anew; the others stay."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}\n{blocks[found[2]](numbers)}\n{found[3]}" if found[2] in blocks else found[0]

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?\n(<!-- end -->)", block, text, flags=re.DOTALL)
