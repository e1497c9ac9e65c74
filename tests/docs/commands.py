"""Commands that the pages tell the reader to type: found, and held against what there is."""

import re
import shlex
import tomllib
from collections.abc import Iterator

import click
import typer

from lefi.cli import app
from tests.docs.prose import ROOT, Piece

FIRST = ("lefi", "make", "pip", "python", "flwr", "curl", "cd", "flower-supernode")
LABELS = ("lefi warm", "lefi usd")  # rows of tables: variants of the mechanism `lefi`
OTHERS = ("notebook", "flwr[simulation]")  # packages of others that a reader may want
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def commands(piece: Piece) -> Iterator[str]:
    """Lines of shell in a block of code, or commands between backticks in a sentence."""
    if piece.kind in ("text", "row"):
        found = re.findall(r"`([^`]+)`", piece.text)
        yield from (one for one in found if one.split()[:1] and one.split()[0] in FIRST and one not in LABELS)
    elif piece.kind in ("sh", "plain", "{code-cell}"):
        whole = "\n".join(piece.lines).replace("\\\n", " ")
        lines = [line.strip().removeprefix("!") for line in whole.splitlines()]
        lines = [re.sub(r"^([A-Z]+=\S+ )+", "", line) for line in lines]
        yield from (line for line in lines if " " in line and line.split()[0] in FIRST and "=" not in line.split()[1])


def words(command: str) -> list[str]:
    """As a shell would split it, up to a pipe and without the comment."""
    split = shlex.split(command, comments=True)
    ends = [place for place, word in enumerate(split) if word in ("|", "2>&1")]
    return split[: ends[0]] if ends else split


def wrong(command: str) -> str | None:
    """What a reader would stumble over; None where nothing is wrong."""
    first, *rest = words(command)
    if first == "lefi":
        return unknown(rest)
    if first == "make":
        return None if set(rest) <= TARGETS else f"no target {rest}"
    if first == "pip":
        if rest[-1] in OTHERS:
            return None
        named = re.fullmatch(r"\.(?:\[([\w,]+)\])?", rest[-1])  # from a clone: no registry has it yet
        return None if named and set((named[1] or "ledger").split(",")) <= set(EXTRAS) else "no such package or extra"
    if first == "python":
        place = rest[1].replace(".", "/") if rest[0] == "-m" else rest[0].removesuffix(".py")
        places = [ROOT / f"{place}.py", ROOT / place / "__main__.py", ROOT / "src" / f"{place}.py"]
        return None if any(one.exists() for one in places) else "no such program"
    return None  # the programs of others


def unknown(arguments: list[str]) -> str | None:
    """Held against the parser of lefi. A command that is only named, without arguments, has to exist and no more."""
    command: click.Command = typer.main.get_command(app)
    context = click.Context(command, info_name="lefi")
    while arguments and isinstance(command, click.Group) and not arguments[0].startswith("-"):
        name, *arguments = arguments
        below = command.get_command(context, name)
        if below is None:
            return f"no command {name}"
        command, context = below, click.Context(below, info_name=name, parent=context)
    if not arguments or arguments == ["--version"]:
        return None
    try:
        given, _, _ = command.make_parser(context).parse_args(list(arguments))
    except click.BadOptionUsage as error:
        return None if arguments[-1] == error.option_name else error.format_message()  # a sentence names the option
    except click.UsageError as error:
        return error.format_message()
    needed = [str(one.name) for one in command.params if one.required and isinstance(one, click.Argument)]
    lacking = [name for name in needed if not isinstance(given.get(name), str | list | tuple)]
    return f"without {lacking}" if lacking else None
