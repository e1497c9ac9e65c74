"""The directive `commands`: every command with its arguments and options, as `--help` tells them."""

from collections.abc import Iterator
from typing import Any

import click
import typer
from written import Written, cell

from lefi.cli import app


def pages(command: click.Command, name: str) -> Iterator[str]:
    """Markdown of a command and of those below it."""
    yield f"## `{name}`\n" if name.count(" ") < 2 else f"### `{name}`\n"
    yield from words(command.help or "")
    if isinstance(command, click.Group):
        for each, below in command.commands.items():
            yield from pages(below, f"{name} {each}")
        return
    context = click.Context(command, info_name=name)
    rows = [record for each in command.get_params(context) if (record := _row(each, context))]
    if rows:
        yield "| | default | |\n|---|---|---|"
        yield from rows
        yield ""


def words(text: str) -> Iterator[str]:
    """The text of `--help`. After a backspace, click's mark, lines are kept as they are: these are code."""
    for number, part in enumerate(text.strip().split("\b\n")):
        kept, _, after = part.partition("\n\n") if number else ("", "", part)
        if kept:
            title, _, rest = kept.partition(":")
            lines = [line.strip() for line in rest.splitlines() if line.strip()]
            yield "\n".join([f"{title}:", "", "```sh", *lines, "```", ""])
        yield after.strip() + "\n"


def _row(parameter: click.Parameter, context: click.Context) -> str | None:
    if getattr(parameter, "hidden", False) or "--help" in parameter.opts:
        return None
    shown = parameter.get_default(context)
    default = "" if shown in (None, (), [], False, True) else f"`{shown}`"
    spelled = ", ".join(f"`{one}`" for one in parameter.opts) if parameter.opts[0][0] == "-" else f"`{parameter.name}`"
    return f"| {spelled} | {default} | {cell(getattr(parameter, 'help', None) or '')} |"


class Commands(Written):
    """All commands, in the order of `lefi --help`."""

    def markdown(self) -> str:
        group: Any = typer.main.get_command(app)
        return "\n".join(page for each, below in group.commands.items() for page in pages(below, f"lefi {each}"))


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
