"""`lefi ledger`, the commands that write: accounting and orders. Every one adds rows and signs them."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from lefi.cli.ledger import Job, Location, existing, opened_at, printable
from lefi.errors import InputError

Name = Annotated[str, typer.Argument(help="The name of a client.")]
Secret = Annotated[str | None, typer.Option("--key", help="The signing key, where it is not beside the ledger.")]
Why = Annotated[str, typer.Option(help="Noted in the row, at most 100 characters.")]


def migrate(location: Location, key: Secret = None) -> None:
    """Bring a ledger of an older lefi to this version, and sign its rows.

    \b
    Example:
    lefi ledger migrate ledger.db
    """
    with opened_at(location, reading=False, key=key) as opened:
        for job in opened.jobs():
            with opened_at(location, job, reading=False, key=key) as one:
                one.sign()
            typer.echo(printable(f"job {job} is signed"))


def payout(
    location: Location,
    batch: Annotated[str, typer.Argument(help="The name of the batch, such as 2026-11.")],
    output: Annotated[Path, typer.Argument(help="A .csv or .parquet file: who gets how much.")],
    job: Job = None,
    least: Annotated[str, typer.Option(help="Balances up to this amount stay.")] = "0",
    key: Secret = None,
) -> None:
    """Mark what is due to clients as paid out, and write the list for the bank. Blocked clients are left out.

    \b
    Example:
    lefi ledger payout ledger.db 2026-11 november.csv --least 1.00
    """
    from lefi.ledger.accounting import pay_out
    from lefi.ledger.exports import check, export
    from lefi.ledger.statements import batch_of

    check(output)
    with existing(location, job, reading=False, key=key) as opened:
        money, paid = opened.money, pay_out(opened, batch, least)
    export(batch_of(paid, money), output)
    typer.echo(
        printable(f"{len(paid.due)} clients, {money.text(paid.total)} {money.currency} in batch {batch}: {output}")
    )


def reverse(
    location: Location,
    client: Name,
    round: Annotated[int, typer.Argument(help="The round of the payment.")],
    amount: Annotated[str | None, typer.Option(help="A part of the payment; by default all of it.")] = None,
    reason: Why = "",
    job: Job = None,
    key: Secret = None,
) -> None:
    """Take back a payment by a new row; the payment itself stays where it is.

    \b
    Example:
    lefi ledger reverse ledger.db car-2 17 --reason "trained on copies"
    """
    from lefi.ledger.accounting import reverse as take_back

    with existing(location, job, reading=False, key=key) as opened:
        units = take_back(opened, client, round, amount, reason)
        typer.echo(printable(f"{opened.money.text(units)} {opened.money.currency} of {client} are taken back"))


def cap(
    location: Location,
    client: Name,
    amount: Annotated[str | None, typer.Argument(help="The most that it is paid in all; left out: no cap.")] = None,
    job: Job = None,
    key: Secret = None,
) -> None:
    """Bound what a client is paid in all, from the next round on.

    \b
    Example:
    lefi ledger cap ledger.db car-2 100.00
    """
    _order(location, job, key, "cap", client, amount)


def budget(
    location: Location,
    amount: Annotated[str, typer.Argument(help="What each round may pay.")],
    job: Job = None,
    key: Secret = None,
) -> None:
    """Change the budget per round, from the next round on.

    \b
    Example:
    lefi ledger budget ledger.db 7.50
    """
    _order(location, job, key, "budget", "", amount)


def appeal(
    location: Location,
    client: Name,
    decision: Annotated[str, typer.Argument(help="granted or refused.")],
    reason: Why = "",
    job: Job = None,
    key: Secret = None,
) -> None:
    """Decide on the appeal of a client that was accused. Granted: it takes part again and gets what it lost.

    \b
    Example:
    lefi ledger appeal ledger.db car-2 granted --reason "the audit of round 9 found the work"
    """
    from lefi.ledger.accounting import appeal as decide

    if decision not in ("granted", "refused"):
        raise InputError("decision", decision, "granted or refused")
    with existing(location, job, reading=False, key=key) as opened:
        units = decide(opened, client, decision == "granted", reason)
        given = f"{opened.money.text(units)} {opened.money.currency} are given back"
        typer.echo(printable(f"the appeal of {client} is {decision}: {given}"))


def reveal(
    location: Location,
    secret: Annotated[str, typer.Argument(help="The secret of the audits, as hexadecimal digits.")],
    job: Job = None,
    key: Secret = None,
) -> None:
    """Tell the secret of the audits when a job has ended: `verify` then checks that just those drawn were made.

    \b
    Example:
    lefi ledger reveal ledger.db 30313233343536373839616263646566
    """
    from lefi.ledger.accounting import reveal as tell

    try:
        told = bytes.fromhex(secret)
    except ValueError:
        raise InputError("secret", secret, "hexadecimal digits") from None
    with existing(location, job, reading=False, key=key) as opened:
        tell(opened, told)
    typer.echo("revealed: run `lefi ledger verify`")


def forget(location: Location, client: Name, job: Job = None) -> None:
    """Erase a client's name. Its rows, the proofs and the sums stay, under an alias that leads back to nobody.

    \b
    Example:
    lefi ledger forget ledger.db car-2
    """
    with existing(location, job, reading=False) as opened:
        opened.forget(client)
    typer.echo("erased; backups and exports that were made before still have the name")


def _order(location: str, job: str | None, key: str | None, kind: str, client: str, amount: str | None = None) -> None:
    from lefi.ledger.accounting import order

    with existing(location, job, reading=False, key=key) as opened:
        order(opened, kind, client, amount)
        typer.echo(printable(f"job {opened.job}: {kind} {client}".rstrip()))


def _about_client(kind: str, text: str) -> Callable[..., None]:
    def command(location: Location, client: Name, job: Job = None, key: Secret = None) -> None:
        _order(location, job, key, kind, client)

    command.__doc__ = f"{text}\n\n\b\nExample:\nlefi ledger {kind} ledger.db car-2\n"
    return command


def _about_job(kind: str, text: str) -> Callable[..., None]:
    def command(location: Location, job: Job = None, key: Secret = None) -> None:
        _order(location, job, key, kind, "")

    command.__doc__ = f"{text}\n\n\b\nExample:\nlefi ledger {kind} ledger.db\n"
    return command


ABOUT_CLIENTS = {
    "block": "Give a client no more offers and leave it out of pay-outs, from the next round on.",
    "unblock": "Let a blocked client take part again.",
}
ABOUT_JOBS = {
    "pause": "Let the server wait before its next round.",
    "resume": "Let a paused server go on.",
    "stop": "End the job before its next round, for good.",
}


def add_orders(ledger: typer.Typer) -> None:
    """Add these commands to `lefi ledger`."""
    for command in (migrate, payout, reverse, appeal, reveal, cap, budget, forget):
        ledger.command()(command)
    for kind, text in ABOUT_CLIENTS.items():
        ledger.command(kind)(_about_client(kind, text))
    for kind, text in ABOUT_JOBS.items():
        ledger.command(kind)(_about_job(kind, text))
