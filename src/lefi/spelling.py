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

    @property
    def spec(self) -> str:
        """The name with what is inside, without the settings of its own: `pace(price)` of `pace(price, target=0.5)`."""
        return f"{self.name}({', '.join(self.inside)})" if self.inside else self.name


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


def split(text: str) -> list[str]:
    """The parts between commas; commas inside brackets and quotes belong to their part."""
    parts, open_, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            open_ += (letter in "([{") - (letter in ")]}")
        if letter == "," and not open_ and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _arguments(text: str, written: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """What is inside first, then settings: `waterfill, share=0.5`."""
    inside: list[str] = []
    settings: dict[str, Any] = {}
    for part in split(written) if written.strip() else []:
        setting, equals, value = (piece.strip() for piece in part.partition("="))
        if equals and setting.isidentifier():
            if setting in settings:
                raise InputError("name", text, f"NAME(SETTING=VALUE, ...): {setting} is there twice")
            settings[setting] = _value(text, _parsed(text, value))
        elif settings or not part:
            raise InputError("name", text, "NAME(INNER, SETTING=VALUE, ...)")
        else:
            inside.append(part)
    return tuple(inside), settings


def _parsed(text: str, value: str) -> ast.expr:
    try:
        return ast.parse(value, mode="eval").body
    except SyntaxError:
        raise InputError("name", text, "NAME(SETTING=VALUE, ...)") from None


def _value(text: str, node: ast.expr) -> Any:
    """Numbers, text, lists of them; a bare word is text."""
    if isinstance(node, ast.Name):
        return TRUTH.get(node.id.lower(), node.id)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(text, part) for part in node.elts]
    try:
        return ast.literal_eval(node)
    except ValueError:
        wrong = ast.unparse(node)
        raise InputError("name", text, f'NAME(SETTING=VALUE, ...): {wrong} is no value, text is "{wrong}"') from None
