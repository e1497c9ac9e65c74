"""What every request passes: is it meant for us, does it come too often, is it too large or too slow. Safe headers.

Plain ASGI, for a stream of events must pass unbuffered.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lefi.serve.limits import Limits
from lefi.serve.problems import problem

ADDRESSES = 10_000  # whose rates are remembered
HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
TLS = {"strict-transport-security": "max-age=31536000"}


class Rates:
    """A bucket of requests per address, filled at an even rate."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> (requests, when)

    def take(self, address: str, now: float) -> float:
        """Seconds to wait before this request is taken; 0 where it is taken."""
        left, then = self.left.pop(address, (float(self.limits.burst), now))
        left = min(left + (now - then) * self.limits.requests, float(self.limits.burst))
        taken = left >= 1
        self.left[address] = (left - 1 if taken else left, now)
        if len(self.left) > ADDRESSES:
            self.left.popitem(last=False)
        return 0.0 if taken else (1 - left) / self.limits.requests


class Gate:
    """Around the whole application. `hosts`: names that the service goes by; none: whatever the caller says."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Collection[str] = ()) -> None:
        self.app, self.limits, self.hosts = app, limits, frozenset(hosts)
        self.rates = Rates(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (HEADERS | (TLS if scope["scheme"] == "https" else {})).items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if (reply := self._refusal(scope)) is not None:
            await reply(scope, receive, answer)
            return
        await self.app(scope, self._bounded(receive), answer)

    def _refusal(self, scope: Scope) -> Any:
        """What is wrong with a request before its body is read."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return problem(421, "the Host header names another machine: a page elsewhere may not reach this service")
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{host}":
            return problem(403, "a page of another origin may not use this service")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.limits.body:
            return problem(413, f"a body has at most {self.limits.body} bytes", {"connection": "close"})
        address = scope["client"][0] if scope.get("client") else ""
        if (wait := self.rates.take(address, time.monotonic())) > 0:
            seconds = {"retry-after": str(max(round(wait), 1))}
            return problem(429, f"more than {self.limits.requests:g} requests per second", seconds)
        return None

    def _bounded(self, receive: Receive) -> Receive:
        """The body, up to the limit, within its time."""
        seen, end, whole = 0, time.monotonic() + self.limits.seconds, False

        async def part() -> Message:
            nonlocal seen, whole
            if whole:  # what comes after the body is that the caller has gone
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(end - time.monotonic(), 0.001))
            except TimeoutError:
                raise HTTPException(408, f"a request must arrive within {self.limits.seconds:g} seconds") from None
            seen += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if seen > self.limits.body:
                raise HTTPException(413, f"a body has at most {self.limits.body} bytes")
            return message

        return part


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
