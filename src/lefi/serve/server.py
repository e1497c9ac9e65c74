"""The service as a process: where it listens, and what it demands before it listens beyond this machine."""

import logging
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from lefi.errors import InputError, LefiError
from lefi.serve.app import LOOPBACK, make_app
from lefi.serve.limits import Limits
from lefi.serve.tokens import Tokens, tokens_beside

FAREWELL = 2  # seconds that open streams have to end when the service stops
CALLERS = 1000  # connections at once


@dataclass(frozen=True)
class Address:
    """Where a service listens; beyond this machine only with tokens and TLS."""

    host: str = "127.0.0.1"
    port: int = 8400
    cert: Path | None = None
    key: Path | None = None

    @property
    def loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.cert else 'http'}://{host}:{self.port}"


def server(place: str, address: Address, limits: Limits | None = None) -> uvicorn.Server:
    """A server that is ready to run. The tokens beside the signing key are demanded where there are any."""
    path = tokens_beside(place)
    tokens = Tokens(path)
    _check(address, tokens)
    app = make_app(
        place,
        tokens=path if tokens.all() else None,
        limits=limits,
        hosts=(*LOOPBACK, address.host) if address.loopback else (),
        refused=path.with_suffix(".refused"),
    )
    config = uvicorn.Config(
        app, address.host, address.port, access_log=False, log_level="warning", server_header=False,
        ssl_certfile=address.cert, ssl_keyfile=address.key, timeout_graceful_shutdown=FAREWELL,
        limit_concurrency=CALLERS, proxy_headers=False, ws="none",
    )  # fmt: skip
    return uvicorn.Server(config)


def _check(address: Address, tokens: Tokens) -> None:
    if (address.cert is None) != (address.key is None):
        raise InputError("cert", str(address.cert), "given together with the key")
    for path in (address.cert, address.key):
        if path is not None and not path.is_file():
            raise InputError("TLS file", str(path), "an existing file")
    if not address.loopback:
        if address.cert is None:
            raise LefiError(f"{address.host} is not only this machine: name the TLS files with --cert and --key")
        if not any(entry.role == "operator" for entry in tokens.active()):
            raise LefiError(f"{address.host} is not only this machine: make a token first, `lefi token make operator`")


def log_to_stderr() -> None:
    """Warnings and refusals of the service, for whoever started it."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
