"""The application: routes, roles, limits and headers around one ledger."""

from collections.abc import Callable

from fastapi import FastAPI, Request

from lefi.arrays import IntArray
from lefi.errors import UnknownName
from lefi.ledger import Ledger
from lefi.mechanisms.explanation import Explanation
from lefi.serve.context import Caller, Context, Role


def make_app(place: str) -> FastAPI:
    """The service for the ledger at this place, which is made where there is none."""
    app = FastAPI(title="lefi", docs_url=None, redoc_url=None, openapi_url="/v1/openapi.json")
    app.state.context = _context(place)
    return app


def _context(place: str) -> Context:
    whole = Ledger(place, "")
    readers: dict[str, Ledger] = {}

    def reader(job: str) -> Ledger:
        if job not in readers:
            if job not in whole.jobs():
                raise UnknownName("job", job, whole.jobs())
            readers[job] = Ledger(place, job, create=False, reading=True)
        return readers[job]

    def explain(_job: str, _ids: IntArray) -> Explanation | None:
        return None

    def guard(_role: Role) -> Callable[[Request], Caller]:
        return lambda _: Caller("operator")

    return Context(whole.place, reader, whole.jobs, explain, guard)
