"""`lefi ledger show | verify | export`: who was paid what, for what, and whether the books are whole."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lefi.cli.options import AsJson
from lefi.errors import InputError, LefiError, UnknownName

if TYPE_CHECKING:
    from lefi.ledger import Ledger

FAILED = 1  # exit code of `verify` where something was found

ledger = typer.Typer(
    no_args_is_help=True, help="The durable ledger of a Flower job: totals, checks and tables.", rich_markup_mode="rich"
)

Location = Annotated[str, typer.Argument(help="A ledger file, or the URL of a database.")]
Job = Annotated[str | None, typer.Option(help="The job.", show_default="the only one")]


@ledger.command()
def show(location: Location, job: Job = None, as_json: AsJson = False) -> None:
    """Totals per round and per client.

    \b
    Example:
    lefi ledger show ledger.db
    """
    from lefi.cli import show as shown
    from lefi.ledger.views import by_client, by_round, frame, overspent

    with _existing(location, job) as opened:
        table = frame(opened.rows())
    rounds, clients = by_round(table), by_client(table)
    if as_json:
        told = {"job": opened.job, "rounds": rounds.to_dicts(), "clients": clients.to_dicts()}
        shown.print_json(told | {"over_budget": overspent(table)})
        return
    console = shown.console()
    for title, label, part in (("Rounds", "round", rounds), ("Clients", "client", clients)):
        numbers = [name for name in part.columns if name != label]
        printed = shown.table([label], numbers, f"{title} of job {_plain(opened.job)}; paid in USD")
        for row in part.iter_rows(named=True):
            printed.add_row(_plain(str(row[label])), *(_cell(row[name]) for name in numbers))
        console.print(printed)
    console.print(f"paid in all: {clients['paid'].sum():.6f} USD")
    for line in overspent(table):
        console.print(f"[bold red]OVER BUDGET:[/bold red] {line}", soft_wrap=True)


@ledger.command()
def verify(
    location: Location,
    job: Job = None,
    head: Annotated[str | None, typer.Option(help="A hash noted earlier, which must still be there.")] = None,
) -> None:
    """Recompute the hash chain and every payment, and compare all rounds with their budget.

    Exit code 1 where something is wrong.

    \b
    Example:
    lefi ledger verify ledger.db --head 5e2f...
    """
    from lefi.ledger.audit import audit

    with _existing(location, job) as opened:
        found = audit(opened.rows(), head)
    for finding in found.findings:
        typer.echo(f"wrong: {finding}", err=True)
    typer.echo(f"job {opened.job}: {found.rows} rows, {found.settled} settled rounds, {found.paid:.6f} USD paid")
    typer.echo(f"head {found.head}")
    if found.findings:
        raise typer.Exit(FAILED)
    typer.echo("the chain holds, every payment follows from an offer and an answer, and every round kept its budget")


@ledger.command()
def export(
    location: Location,
    output: Annotated[Path, typer.Argument(help="A .parquet or .csv file.")],
    job: Job = None,
    clock: Annotated[
        bool, typer.Option(help="With wall-clock time and hash, which differ between runs that did the same.")
    ] = True,
) -> None:
    """All rows as Parquet or CSV.

    \b
    Example:
    lefi ledger export ledger.db payments.csv
    """
    from lefi.ledger.views import export as write
    from lefi.ledger.views import frame

    with _existing(location, job) as opened:
        table = frame(opened.rows(), clock=clock)
    write(table, output)
    typer.echo(f"{table.height} rows in {output}")


def _existing(location: str, job: str | None) -> "Ledger":
    """A ledger that is there: a look must not create one."""
    from lefi.ledger import Ledger
    from lefi.ledger.database import read_url

    url = read_url(location)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise InputError("ledger", location, "an existing file")
    opened = Ledger(location, job or "", create=False)
    jobs = opened.jobs()
    if job is None and len(jobs) == 1:
        opened.job = jobs[0]
    elif job is None:
        opened.close()
        raise LefiError(f"the ledger holds {len(jobs) or 'no'} jobs; choose one with --job: {', '.join(jobs)}")
    elif job not in jobs:
        opened.close()
        raise UnknownName("job", job, jobs)
    return opened


def _plain(text: str) -> str:
    """Text from outside as it may be shown: no escapes for the terminal, no markup."""
    from rich.markup import escape

    return escape("".join(c if c.isprintable() else "?" for c in text))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)
