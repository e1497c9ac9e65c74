"""Errors over HTTP: problem+json (RFC 9457) that names the field, the value and what is allowed."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as NotRouted
from starlette.responses import Response

from lefi.errors import InputError, LefiError, OfferError, UnknownName
from lefi.ledger.database import Unusable

MEDIA = "application/problem+json"
TITLES = {
    400: "bad request", 401: "no token", 403: "beyond your role", 404: "not found", 405: "not allowed here",
    408: "too slow", 409: "conflict", 413: "too large", 421: "not this host", 422: "bad input",
    429: "too many requests", 500: "a bug of the service", 503: "not now",
}  # fmt: skip
SHOWN = 10  # wrong fields that are listed
LOG = logging.getLogger("lefi.serve")


class Refusal(LefiError):
    """A request that is well formed, and that cannot be done."""

    def __init__(self, status: int, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.more = status, more


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    told = {"type": "about:blank", "title": TITLES.get(status, "refused"), "status": status, "detail": detail} | more
    return Response(json.dumps(told), status, headers, MEDIA)


def of_error(error: Exception) -> Response:
    """What a caller is told of an error that lefi raised on purpose."""
    if isinstance(error, Refusal):
        return problem(error.status, str(error), **error.more)
    if isinstance(error, InputError):
        return problem(422, str(error), field=error.field, value=error.value, allowed=error.allowed)
    if isinstance(error, UnknownName):
        return problem(404 if error.kind == "job" else 422, str(error), field=error.kind)
    if isinstance(error, OfferError):
        return problem(422, str(error), field="offer")
    return problem(503 if isinstance(error, Unusable) else 409, str(error))


def _of_fields(error: RequestValidationError) -> Response:
    """What does not fit the schema, field by field."""
    wrong: list[dict[str, Any]] = []
    for found in error.errors()[:SHOWN]:
        place = [str(part) for part in found["loc"]]
        if found["type"] == "json_invalid":
            wrong.append({"field": "body", "value": f"no JSON at byte {place[-1]}", "allowed": "a JSON object"})
            continue
        wrong.append(
            {
                "field": ".".join(place[1:]) or place[0],
                "value": _brief(found.get("input")),
                "allowed": _allowed(found["msg"]),
            }
        )
    first = wrong[0]
    detail = f"{first['field']} is {first['value']}: it must be {first['allowed']}"
    return problem(422, detail, **first, errors=wrong)


def _allowed(message: str) -> str:
    """What pydantic says of a value, as what may stand there."""
    for said, meant in {
        "Input should be ": "",
        "Value error, ": "",
        "String should match pattern ": "text that matches ",
        "String should have ": "text with ",
        "List should have ": "a list with ",
        "Field required": "given",
        "Extra inputs are not permitted": "left out",
    }.items():
        message = meant + message.removeprefix(said) if message.startswith(said) else message
    return message


def _brief(value: object) -> str:
    text = ascii(value) if not isinstance(value, int) or value.bit_length() < 200 else "a long number"
    return text if len(text) <= 60 else text[:57] + "..."


def add_problems(app: FastAPI) -> None:
    """Answer every error of the application in this way."""

    def own(_: Request, error: Exception) -> Response:
        return of_error(error)

    def fields(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return _of_fields(error)

    def routed(_: Request, error: Exception) -> Response:
        assert isinstance(error, NotRouted)
        return problem(error.status_code, str(error.detail), error.headers)

    def bug(request: Request, error: Exception) -> Response:
        LOG.error("%s %s failed", request.method, ascii(request.scope["path"]), exc_info=error)
        return problem(500, "the service failed; its log says why")

    for kind, answer in ((LefiError, own), (RequestValidationError, fields), (NotRouted, routed), (Exception, bug)):
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(HTTPException, routed)
