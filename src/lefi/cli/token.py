"""`lefi token`: who may do what with a service. Tokens are shown once; the file beside the ledger holds hashes."""

from typing import Annotated

import typer

from lefi.cli.ledger import printable

token = typer.Typer(no_args_is_help=True, help="Tokens of a service: make, list, revoke.", rich_markup_mode="rich")

Place = Annotated[str, typer.Option("--ledger", help="A ledger file, or the URL of a database.")]


@token.command()
def make(
    role: Annotated[str, typer.Argument(help="operator, auditor (reads all), or client (reads its own account).")],
    ledger: Place = "lefi.db",
    job: Annotated[str, typer.Option(help="Of a client: its job.")] = "",
    client: Annotated[str, typer.Option(help="Of a client: its name.")] = "",
) -> None:
    """Make a token and print it, once. From the first one on, a service demands them when it starts.

    \b
    Examples:
    lefi token make operator --ledger jobs.db
    lefi token make client --ledger jobs.db --job phones --client car-2
    """
    from lefi.serve.tokens import Tokens, tokens_beside

    typer.echo(Tokens(tokens_beside(ledger)).make(role, job, client))


@token.command("list")
def list_tokens(ledger: Place = "lefi.db") -> None:
    """Show all tokens: id, role, when made, when revoked.

    \b
    Example:
    lefi token list --ledger jobs.db
    """
    from lefi.serve.tokens import Tokens, tokens_beside

    for entry in Tokens(tokens_beside(ledger)).all().values():
        whose = f" {entry.client} of job {entry.job}" if entry.client else ""
        state = f"revoked {entry.revoked}" if entry.revoked else "good"
        typer.echo(printable(f"{entry.id}  {entry.role}{whose}  made {entry.made}  {state}"))


@token.command()
def revoke(
    id: Annotated[str, typer.Argument(help="The id: the part of the token after lefi_.")], ledger: Place = "lefi.db"
) -> None:
    """Let a token be good no more, at once, also for a service that runs.

    \b
    Example:
    lefi token revoke 1f2e3d4c --ledger jobs.db
    """
    from lefi.serve.tokens import Tokens, tokens_beside

    Tokens(tokens_beside(ledger)).revoke(id)
    typer.echo(printable(f"token {id} is revoked"))
