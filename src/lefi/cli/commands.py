"""How every command ends: one line for what the user can mend, and the right exit code."""

import sys
import warnings
from typing import Any

import click
import typer
from typer.core import TyperGroup

from lefi.compiler import say_compiling
from lefi.errors import LefiError

BAD_INPUT = 2
STOPPED = 130  # what shells report for Ctrl-C


class Commands(TyperGroup):
    """The commands of lefi. Bad input is one line `error: ...` on stderr; only bugs show a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        warnings.showwarning = _warn  # type: ignore[assignment]
        say_compiling()
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(BAD_INPUT)
        except click.ClickException as error:
            _fail(error.format_message(), BAD_INPUT)
        except LefiError as error:
            _fail(str(error), BAD_INPUT)
        except MemoryError as error:
            _fail(f"not enough memory for this: {error}", BAD_INPUT)
        if code == STOPPED:  # typer has caught the KeyboardInterrupt
            _fail("stopped; runs that were finished are kept", STOPPED)
        sys.exit(code if isinstance(code, int) else 0)


def _warn(message: Warning | str, *_: Any) -> None:
    typer.echo("warning: " + " ".join(str(message).split()), err=True)


def _fail(message: str, code: int) -> None:
    typer.echo("error: " + " ".join(message.split()), err=True)
    sys.exit(code)
