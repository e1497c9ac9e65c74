"""The pages: a dashboard of jobs and a playground, as files that a browser reads without a build step or a network."""

from importlib.resources import files

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from lefi.serve.context import Context
from lefi.serve.pages.playground import playground
from lefi.serve.pages.views import views

STATIC = str(files("lefi.serve.pages") / "static")


def mount(app: FastAPI, context: Context) -> None:
    """Add the views, the playground and the static files to the service."""
    app.include_router(views(context))
    app.include_router(playground(context))

    @app.get("/", include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(f"{STATIC}/index.html", headers={"cache-control": "no-cache"})

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
