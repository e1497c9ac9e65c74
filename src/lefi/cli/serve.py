"""`lefi serve`: the service for any FL server, and the pages that show the money."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer


def serve(
    ledger: Annotated[str, typer.Option(help="A ledger file, or the URL of a database.")] = "lefi.db",
    host: Annotated[str, typer.Option(help="Where to listen; beyond this machine with tokens and TLS.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.", min=1, max=65535)] = 8400,
    cert: Annotated[Path | None, typer.Option("--tls-cert", help="TLS certificate, PEM.")] = None,
    key: Annotated[Path | None, typer.Option("--tls-key", help="TLS key, PEM.")] = None,
    clients: Annotated[int, typer.Option(help="The most clients of one job.", min=1)] = 200_000,
    requests: Annotated[float, typer.Option(help="The most requests per second of one address.", min=1)] = 500,
    demo: Annotated[bool, typer.Option(help="Play simulated jobs on a ledger that is thrown away.")] = False,
) -> None:
    """Serve the jobs of a ledger: an HTTP API for any FL server, and a page to watch them.

    \b
    Examples:
    lefi serve --ledger jobs.db
    lefi serve --demo
    """
    from lefi.serve.limits import Limits
    from lefi.serve.server import Address, log_to_stderr, run

    log_to_stderr()
    address = Address(host, port, cert, key)
    limits = Limits(clients=clients, requests=requests, burst=int(2 * requests))
    if not demo:
        run(ledger, address, limits, say=typer.echo)
        return
    with tempfile.TemporaryDirectory(prefix="lefi-demo-") as folder:
        run(f"{folder}/ledger.db", address, limits, say=typer.echo, demo=True)
