"""`lefi receipt`: what a client can prove about its payments, with the public key alone."""

import json
from pathlib import Path
from typing import Annotated

import typer

from lefi.cli.commands import Commands
from lefi.cli.ledger import FAILED, Job, Location, existing, printable
from lefi.errors import InputError, LefiError

receipt = typer.Typer(
    cls=Commands, no_args_is_help=True, rich_markup_mode="rich", help="Make and check signed receipts of payments."
)


@receipt.command()
def verify(
    files: Annotated[list[Path], typer.Argument(help="Receipts, or a folder of them.")],
    key: Annotated[str, typer.Option(help="The public key of the job: a PEM file or its 64 digits.")],
) -> None:
    """Prove that the payments are in the log, that the log only grew, and that the total is signed. Offline.

    Exit code 1 where something is wrong.

    \b
    Example:
    lefi receipt verify receipts/ --key job.pub
    """
    from lefi.ledger.keys import read_public
    from lefi.ledger.money import Money
    from lefi.ledger.proofs import read_proof, wrong_together

    public = read_public(key)
    proofs = [read_proof(_bytes(path)) for path in _all(files)]
    findings = wrong_together(proofs, public)
    for finding in findings:
        typer.echo(f"wrong: {printable(finding)}", err=True)
    if findings:
        raise typer.Exit(FAILED)
    last = max(proofs, key=lambda proof: int(proof["head"]["size"]))
    money = Money.of(last)
    said = f"{money.text(last['total'])} {money.currency} paid to {last['client']} up to row {last['head']['size']}"
    typer.echo(printable(f"{len(proofs)} receipts of job {last['head']['job']}: {said}"))
    typer.echo("all payments are in the signed log, and the log only grew")


@receipt.command()
def make(
    location: Location,
    client: Annotated[str, typer.Argument(help="The name of a client.")],
    output: Annotated[Path, typer.Argument(help="A new .json file.")],
    round: Annotated[int | None, typer.Option(help="The payment of one round; by default all.")] = None,
    after: Annotated[Path | None, typer.Option(help="The last receipt that the client has.")] = None,
    job: Job = None,
    key: Annotated[str | None, typer.Option(help="The signing key, where it is not beside the ledger.")] = None,
) -> None:
    """The operator's side: a receipt for a client that gets no more messages.

    \b
    Example:
    lefi receipt make ledger.db car-2 car-2.json
    """
    from lefi.ledger.heads import Head
    from lefi.ledger.private import write_private
    from lefi.ledger.proofs import read_proof

    earlier = None if after is None else Head.of(read_proof(_bytes(after))["head"])
    with existing(location, job, key=key) as opened:
        proof = opened.prove(client, round, earlier)
    if output.exists():
        raise InputError("output", str(output), "a file that does not exist yet")
    write_private(output, json.dumps(proof).encode())
    typer.echo(f"{output}")


def _all(files: list[Path]) -> list[Path]:
    found = [path for file in files for path in (sorted(file.glob("*.json")) if file.is_dir() else [file])]
    if not found:
        raise InputError("receipts", ", ".join(map(str, files)), "files, or a folder with some")
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LefiError(f"cannot read {path}: {error.strerror}") from None
