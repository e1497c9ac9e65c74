"""A small service around the pages, over a ledger that a test has written; and a server for it on a free port."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from lefi.arrays import IntArray
from lefi.errors import LefiError, UnknownName
from lefi.ledger import Ledger
from lefi.mechanisms.explanation import Explanation
from lefi.serve.context import Caller, Context, Role
from lefi.serve.pages import mount

Explain = Callable[[str, IntArray], Explanation | None]
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"


def nothing(_job: str, _ids: IntArray) -> None:
    return None


def everybody(_role: Role) -> Callable[[Request], Caller]:
    def caller(_request: Request) -> Caller:
        return Caller("operator")

    return caller


def context_over(path: Path, explain: Explain = nothing) -> Context:
    whole = Ledger(path, "")
    readers: dict[str, Ledger] = {}

    def reader(job: str) -> Ledger:
        if job not in whole.jobs():
            raise UnknownName("job", job, whole.jobs())
        return readers.setdefault(job, Ledger(path, job, create=False, reading=True))

    return Context(whole.place, reader, whole.jobs, explain, everybody)


def app_over(path: Path, explain: Explain = nothing) -> FastAPI:
    """The pages and nothing else, under the policy that the service has."""
    app = FastAPI()

    @app.exception_handler(LefiError)
    def refused(_request: Request, error: LefiError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 404 if isinstance(error, UnknownName) else 422)

    @app.middleware("http")
    async def guarded(request: Request, call_next):  # type: ignore[no-untyped-def]
        response = await call_next(request)
        response.headers["content-security-policy"] = POLICY
        return response

    mount(app, context_over(path, explain))
    return app


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """The address of a server in a thread."""
    bound = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
