"""The application: routes, roles, limits and headers around one ledger."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

import lefi
from lefi.serve.callers import Callers, Refused
from lefi.serve.context import Context
from lefi.serve.events import events
from lefi.serve.gate import Gate
from lefi.serve.jobs import Jobs
from lefi.serve.limits import Limits
from lefi.serve.pages import mount
from lefi.serve.problems import add_problems
from lefi.serve.reading import reading
from lefi.serve.sessions import sessions
from lefi.serve.tokens import Tokens
from lefi.serve.writing import writing

LOOPBACK = ("127.0.0.1", "localhost", "::1")
TEXT = "Pay the clients of a federated-learning job. Sizes are thousand samples; money is in the job's currency."


def make_app(
    place: str,
    *,
    tokens: Path | None = None,
    limits: Limits | None = None,
    hosts: Collection[str] = LOOPBACK,
    refused: Path | None = None,
) -> FastAPI:
    """The service for the ledger at this place, which is made where there is none.

    tokens   the file of tokens that callers have to show; None: everybody is operator
    hosts    names that the service goes by; none: any, for a service that demands tokens
    refused  file that takes in every call that was refused for its token or role

    >>> from tempfile import mkdtemp
    >>> from lefi.serve import make_app
    >>> app = make_app(mkdtemp() + "/ledger.db")
    >>> app.title
    'lefi'
    >>> app.state.jobs.close()
    """
    limits = limits or Limits()
    jobs, callers = Jobs(place, limits), Callers(None if tokens is None else Tokens(tokens), Refused(refused))

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        jobs.close()
        callers.refused.close()

    app = FastAPI(
        title="lefi", version=lefi.__version__, description=TEXT, docs_url=None, redoc_url=None,
        openapi_url="/v1/openapi.json", lifespan=life,
    )  # fmt: skip
    add_problems(app)
    app.state.jobs = jobs
    app.state.context = Context(
        jobs.whole.place, jobs.reader, jobs.names, jobs.explain, jobs.done, callers.guard, callers.own
    )
    for router in (sessions(callers), reading(jobs, callers), events(jobs, callers), writing(jobs, callers)):
        app.include_router(router)
    mount(app, app.state.context)
    app.add_middleware(Gate, limits=limits, hosts=hosts)
    return app
