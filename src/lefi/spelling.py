"""How a thing with settings is written in one line: `label = name(inner, setting=value)`.

The same on the command line, in TOML and in Python: `waterfill`, `joint = lefi(slope=joint, step=2)`,
`mine.py:Mine(share=0.5)`, `reputation(waterfill)`. A bare word is text, true and false are truth values.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

from lefi.errors import InputError

TRUTH = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Spelled:
    """A name, what is inside it, its settings, and the label under which it is shown."""

    label: str
    name: str
    inside: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


def spelled(text: str) -> Spelled:
    """The parts of such a line; the label is the line itself where none is given."""
    whole = text.strip()
    head, bracket, rest = whole.partition("(")
    label, equals, name = (part.strip() for part in head.rpartition("="))
    if equals and not label:
        raise InputError("name", text, "LABEL = NAME(SETTING=VALUE, ...)")
    if not name or (bracket and not rest.endswith(")")):
        raise InputError("name", text, "NAME, or NAME(SETTING=VALUE, ...) with both brackets")
    shown = label if equals else whole
    if not bracket:
        return Spelled(shown, name)
    inside, settings = _arguments(text, rest[:-1])
    return Spelled(shown, name, inside, settings)


def _arguments(text: str, written: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    try:
        call = ast.parse(f"f({written})", mode="eval").body
    except SyntaxError:
        raise InputError("name", text, "NAME(SETTING=VALUE, ...)") from None
    assert isinstance(call, ast.Call)
    inside = tuple(ast.get_source_segment(f"f({written})", part) or "" for part in call.args)
    if any(keyword.arg is None for keyword in call.keywords):
        raise InputError("name", text, "NAME(SETTING=VALUE, ...)")
    return inside, {str(keyword.arg): _value(text, keyword.value) for keyword in call.keywords}


def _value(text: str, node: ast.expr) -> Any:
    """Numbers, text, lists of them; a bare word is text."""
    if isinstance(node, ast.Name):
        return TRUTH.get(node.id.lower(), node.id)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(text, part) for part in node.elts]
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise InputError("name", text, f"NAME(SETTING=VALUE, ...): {ast.unparse(node)} is no value") from None
