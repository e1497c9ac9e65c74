"""The command line: one file per command, added here."""

from typing import Annotated

import typer

import lefi
from lefi.cli.commands import Commands
from lefi.cli.compare import compare
from lefi.cli.drl import drl
from lefi.cli.figures import figures
from lefi.cli.game import game
from lefi.cli.ledger import ledger
from lefi.cli.list import list_names
from lefi.cli.orders import add_orders
from lefi.cli.paper import paper
from lefi.cli.plan import plan
from lefi.cli.profile import profile
from lefi.cli.receipt import receipt
from lefi.cli.serve import serve
from lefi.cli.simulate import simulate
from lefi.cli.token import token
from lefi.cli.train import train
from lefi.cli.trust import trust

app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich"
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lefi {lefi.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn what to pay the clients of a federated-learning job, under a budget.

    Start with: [bold]lefi simulate[/bold]
    """


for command in (paper, simulate, compare, plan, game, figures, profile, train, serve):
    app.command()(command)
app.command("list")(list_names)
add_orders(ledger)
app.add_typer(ledger, name="ledger")
app.add_typer(receipt, name="receipt")
app.add_typer(token, name="token")
app.add_typer(trust, name="trust")
app.add_typer(drl, name="drl")
