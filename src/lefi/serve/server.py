"""The service as a process: where it listens, and what it demands before it listens beyond this machine."""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from types import FrameType

import uvicorn

from lefi.errors import InputError, LefiError
from lefi.serve.app import LOOPBACK, make_app
from lefi.serve.demo import Demo
from lefi.serve.limits import Limits
from lefi.serve.tokens import Tokens, tokens_beside

FAREWELL = 2  # seconds that open streams have to end when the service stops
LOOK = 0.02  # seconds between two looks whether it has started
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


def server(place: str, address: Address, limits: Limits | None = None) -> "Server":
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
        app, address.host, address.port, access_log=False, log_level="critical", server_header=False,
        ssl_certfile=address.cert, ssl_keyfile=address.key, timeout_graceful_shutdown=FAREWELL,
        limit_concurrency=CALLERS, proxy_headers=False, ws="none",
    )  # fmt: skip
    return Server(config)


def _check(address: Address, tokens: Tokens) -> None:
    if (address.cert is None) != (address.key is None):
        raise InputError("cert", str(address.cert), "given together with the key")
    for path in (address.cert, address.key):
        if path is not None and not path.is_file():
            raise InputError("TLS file", str(path), "an existing file")
    if not address.loopback:
        if address.cert is None:
            raise LefiError(f"{address.host} is not only this machine: name the files of --tls-cert and --tls-key")
        if not any(entry.role == "operator" for entry in tokens.active()):
            raise LefiError(f"{address.host} is not only this machine: make a token first, `lefi token make operator`")


class Server(uvicorn.Server):
    """Stops at ctrl-c and SIGTERM, and then returns: what else runs in this process has to be ended, too."""

    ends: Callable[[], None] = staticmethod(lambda: None)  # what else is told that the end has come

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.ends()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.jobs.over = True  # type: ignore[union-attr]  # streams end by themselves
        await super().shutdown(sockets)


def run(place: str, address: Address, limits: Limits, *, say: Callable[[str], None], demo: bool = False) -> None:
    """Serve until ctrl-c or a signal. `demo`: simulated jobs play through this service."""
    _check(address, Tokens(tokens_beside(place)))
    line = _listening(address)
    running, shows = server(place, address, limits), Demo(address.url)
    running.ends = shows.over.set

    async def life() -> None:
        serving = asyncio.create_task(running.serve([line]))
        while not running.started and not serving.done():
            await asyncio.sleep(LOOK)
        if running.started:
            say(f"lefi serves {address.url}  (ctrl-c stops it)")
            if demo:
                shows.start()
        await serving

    try:
        asyncio.run(life())
    finally:
        line.close()
        if demo:
            shows.stop()


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        line = socket.create_server((address.host, address.port), family=family, backlog=CALLERS)
    except OSError as error:
        raise LefiError(f"cannot listen at {address.url} ({error.strerror}): choose another --port") from None
    # Head and body of a reply are two small packets: without this the second waits 40 ms for the first's receipt.
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def log_to_stderr() -> None:
    """Warnings and refusals of the service, for whoever started it."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
