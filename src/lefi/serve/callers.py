"""Who is calling, and may it: a token in a header or a cookie, a role, and a note of every refusal."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from fastapi import Request

from lefi.books.verdicts import plain
from lefi.ledger.private import touch_private
from lefi.serve.context import Caller, Role
from lefi.serve.problems import LOG, Refusal
from lefi.serve.tokens import Tokens

COOKIE = "lefi_token"
LARGEST, FILES = 5 * 2**20, 3  # bytes of the file of refusals, and how many older ones are kept: no flood fills a disk


class Refused:
    """The refusals, one JSON object per line, in a file for its owner alone; in the log where there is no file."""

    def __init__(self, path: Path | None) -> None:
        self.out: logging.Handler | None = None
        if path is not None:
            touch_private(path)
            self.out = RotatingFileHandler(path, maxBytes=LARGEST, backupCount=FILES, encoding="ascii")

    def note(self, request: Request, status: int, why: str, token: str = "") -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        address = request.client.host if request.client else ""
        said = {"at": at, "address": address, "token": token, "method": request.method}
        line = json.dumps(said | {"path": plain(request.scope["path"]), "status": status, "why": why})
        LOG.warning("refused: %s", line)
        if self.out is not None:
            self.out.handle(logging.LogRecord("refused", logging.WARNING, "", 0, "%s", (line,), None))

    def close(self) -> None:
        if self.out is not None:
            self.out.close()


class Callers:
    """Lets callers in. Without tokens everybody is operator: only for a service that nobody else can reach."""

    def __init__(self, tokens: Tokens | None, refused: Refused) -> None:
        self.tokens, self.refused = tokens, refused

    def who(self, request: Request) -> Caller | None:
        """By the header, or else by the cookie of a page; None where neither says."""
        if self.tokens is None:
            return Caller("operator")
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        shown = token.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")
        return self.tokens.caller(shown) if shown else None

    def guard(self, role: Role) -> Callable[[Request], Caller]:
        """A dependency that demands a role."""

        def caller(request: Request) -> Caller:
            found = self.who(request)
            if found is None:
                self.refused.note(request, 401, "no token, or none that is good")
                raise Refusal(401, "show a token: Authorization: Bearer TOKEN, made by `lefi token make`")
            if not found.may(role):
                self.refused.note(request, 403, f"{found.role} where {role} is asked for", found.token)
                raise Refusal(403, f"this needs the role {role}, the token has the role {found.role}", field="role")
            return found

        return caller

    def own(self, request: Request, caller: Caller, job: str, client: str | None) -> None:
        """Demand that a client asks for its own account alone."""
        if not caller.sees(job, client or ""):
            self.refused.note(request, 403, "the account of another", caller.token)
            raise Refusal(403, f"this token is for the client {caller.client!r} of the job {caller.job!r} alone")
