"""`lefi ledger`: look into the durable ledger of a real job, check it, export it, copy it. Nothing here changes it."""

from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lefi.cli.options import AsJson
from lefi.errors import InputError, LefiError, UnknownName

if TYPE_CHECKING:
    import polars as pl

    from lefi.ledger import Ledger

FAILED = 1  # exit code of `verify` where something was found

ledger = typer.Typer(
    no_args_is_help=True,
    help="The durable ledger of a Flower job: totals, checks, tables, accounting.",
    rich_markup_mode="rich",
)

Location = Annotated[str, typer.Argument(help="A ledger file, or the URL of a database.")]
Job = Annotated[str | None, typer.Option(help="The job.", show_default="the only one")]
Client = Annotated[str | None, typer.Option(help="The name of one client.", show_default="all")]
Key = Annotated[str | None, typer.Option(help="Public key: a PEM file or 64 digits.", show_default="beside the ledger")]


@ledger.command()
def show(location: Location, job: Job = None, as_json: AsJson = False) -> None:
    """Totals per round and per client, each round beside its budget.

    \b
    Example:
    lefi ledger show ledger.db
    """
    from lefi.cli import show as shown
    from lefi.ledger.money import Money
    from lefi.ledger.views import by_client, by_round, frame, noted_in, overspent

    with existing(location, job) as opened:
        table = frame(opened.rows())
    rounds, clients, money = by_round(table), by_client(table), Money.of(noted_in(table))
    if as_json:
        told = {"job": opened.job, "rounds": as_text(rounds), "clients": as_text(clients)}
        shown.print_json(told | {"over_budget": overspent(table)})
        return
    for title, label, part in (("Rounds", "round", rounds), ("Clients", "client", clients)):
        _print(part, label, f"{title} of job {opened.job}; paid in {money.currency}")
    paid = sum(clients["paid"].to_list(), Decimal(0))
    shown.console().print(f"paid in all: {paid} {money.currency}")
    for line in overspent(table):
        shown.console().print(f"[bold red]OVER BUDGET:[/bold red] {plain(line)}", soft_wrap=True)


def as_text(table: "pl.DataFrame") -> list[dict[str, object]]:
    """Rows for JSON, where amounts are text: a number would be read as a float."""
    rows = table.to_dicts()
    return [{name: str(v) if isinstance(v, Decimal) else v for name, v in row.items()} for row in rows]


def _print(table: "pl.DataFrame", label: str, title: str) -> None:
    from lefi.cli import show as shown

    numbers = [name for name in table.columns if name != label]
    printed = shown.table([label], numbers, plain(title))
    for row in table.iter_rows(named=True):
        printed.add_row(plain(str(row[label])), *(plain(cell(row[name])) for name in numbers))
    shown.print_table(printed)


@ledger.command()
def verify(
    location: Location,
    job: Job = None,
    key: Key = None,
    head: Annotated[list[str] | None, typer.Option(help="A head noted earlier, SIZE:ROOT; must still hold.")] = None,
    receipt: Annotated[list[Path] | None, typer.Option(help="A client's receipt; its log must be this one.")] = None,
    code: Annotated[list[str] | None, typer.Option(help="FILE.py:Class of an offer from outside; runs it.")] = None,
) -> None:
    """Check every row, every signature and every payment, and compare all rounds with their budget.

    Exit code 1 where something is wrong. The public key says whose signature counts.

    \b
    Example:
    lefi ledger verify ledger.db --key job.pub --receipt receipt-000000042.json
    """
    from lefi.ledger.audit import verify as audited
    from lefi.ledger.proofs import noted_in
    from lefi.payments import OFFERS

    for spec in code or ():
        OFFERS.get(spec)
    with existing(location, job) as opened:
        public = public_key(opened, key)
        noted = [*(head or ()), *(text for path in receipt or () for text in noted_in(_read(path), public))]
        found = audited(opened, public, noted)
    for finding in found.findings:
        typer.echo(f"wrong: {printable(finding)}", err=True)
    paid = f"{found.money.text(found.units)} {found.money.currency} paid"
    typer.echo(printable(f"job {opened.job}: {found.rows} rows, {found.settled} settled rounds, {paid}"))
    typer.echo(f"head {found.head}")
    if found.findings:
        raise typer.Exit(FAILED)
    typer.echo("all rows are signed, every payment follows from an offer and an answer, every round kept its budget")


def public_key(opened: "Ledger", key: str | None) -> str:
    """The public key that was named, or the one beside the ledger."""
    from lefi.ledger.keys import place_of, public_beside, read_public

    if key is not None:
        return read_public(key)
    place = place_of(opened.url)
    return read_public(public_beside(place) if public_beside(place).exists() else place)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LefiError(f"cannot read {path}: {error.strerror}") from None


@ledger.command()
def export(
    location: Location,
    output: Annotated[Path, typer.Argument(help="A .parquet or .csv file.")],
    job: Job = None,
    clock: Annotated[
        bool, typer.Option(help="With wall-clock time and hashes, which differ between runs that did the same.")
    ] = True,
) -> None:
    """All rows as Parquet or CSV; amounts in units.

    \b
    Example:
    lefi ledger export ledger.db rows.parquet
    """
    from lefi.ledger.exports import export as write
    from lefi.ledger.views import frames

    with existing(location, job) as opened:
        count = write(frames(opened.rows(), clock), output)
    typer.echo(f"{count} rows in {output}")


@ledger.command()
def statement(
    location: Location,
    job: Job = None,
    client: Client = None,
    start: Annotated[str | None, typer.Option("--from", help="First day or instant, such as 2026-11-01; UTC.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Up to, and without, this day or instant.")] = None,
    output: Annotated[Path | None, typer.Option(help="A .csv or .parquet file, instead of the screen.")] = None,
) -> None:
    """Payments of a client, or of all, in a period, with what was taken back or forfeited.

    What is held back has been earned, and is in it; the last line says how much of it waits.

    \b
    Example:
    lefi ledger statement ledger.db --client car-2 --from 2026-11-01 --to 2026-12-01 --output november.csv
    """
    import polars as pl

    from lefi.ledger.exports import export as write
    from lefi.ledger.reader import waiting
    from lefi.ledger.statements import statement as lines
    from lefi.ledger.statements import total

    with existing(location, job) as opened:
        money = opened.money
        table = lines(opened.rows(), money, client, start, end)
        held = sum(waiting(own) for name, own in opened.balances().items() if client in (None, name))
    if output:
        write(table, output)
    elif table.height:
        brief = table.select("client", "round", "kind").with_columns(
            amount=table["amount"].cast(pl.String), at=table["at"].str.head(19)
        )
        _print(brief, "client", f"Payments of job {opened.job} in {money.currency}")
    of = f"{table.height} payments and reversals" + (f" of {client}" if client else "")
    typer.echo(printable(f"{of}: {money.text(total(table))} {money.currency}"))
    if held:
        typer.echo(f"held back now: {money.text(held)} {money.currency}")


@ledger.command()
def backup(
    location: Location, output: Annotated[Path, typer.Argument(help="A new file. The signing key is not copied.")]
) -> None:
    """Copy a live SQLite ledger whole; a plain copy of the file would miss what is in its write-ahead log.

    \b
    Example:
    lefi ledger backup ledger.db monday.db
    """
    with opened_at(location, reading=True) as opened:
        opened.backup(output)
    typer.echo(f"{output}")


def opened_at(location: str, job: str = "", *, reading: bool, key: str | None = None) -> "Ledger":
    """A ledger that is there: a look must not create one."""
    from lefi.ledger import Ledger
    from lefi.ledger.database import read_url

    url = read_url(location)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise InputError("ledger", location, "an existing file")
    return Ledger(location, job, create=False, reading=reading, key=key)


def existing(location: str, job: str | None, *, reading: bool = True, key: str | None = None) -> "Ledger":
    """The same, with the job that is meant."""
    opened = opened_at(location, job or "", reading=reading, key=key)
    jobs = opened.jobs()
    if job is None and len(jobs) == 1:
        opened.job = jobs[0]
    elif job is None:
        opened.close()
        names = ", ".join(map(printable, jobs))
        raise LefiError(f"the ledger holds {len(jobs) or 'no'} jobs; choose one with --job: {names}")
    elif job not in jobs:
        opened.close()
        raise UnknownName("job", job, map(printable, jobs))
    return opened


def printable(text: str) -> str:
    """Text from outside as it may be shown: no escapes for the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def plain(text: str) -> str:
    """The same where markup is read."""
    from rich.markup import escape

    return escape(printable(text))


def cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):  # rounded down, as money is
        return str(value.quantize(Decimal("1e-6"), ROUND_FLOOR))
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)
