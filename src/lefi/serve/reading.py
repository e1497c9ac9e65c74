"""Routes that read: jobs, rounds, statements, exports, audits. All from the ledger, for whoever wrote it."""

import tempfile
from pathlib import Path as File
from typing import Annotated, Literal

import polars as pl
from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from lefi.ledger.audit import verify
from lefi.ledger.exports import export, harmless
from lefi.ledger.keys import place_of, public_beside, read_public
from lefi.ledger.statements import statement, total
from lefi.ledger.views import frames
from lefi.serve.callers import Callers
from lefi.serve.context import Caller
from lefi.serve.jobs import Jobs
from lefi.serve.live import settled_of
from lefi.serve.problems import Refusal
from lefi.serve.rendering import Payments, dumped, payments
from lefi.serve.states import Job
from lefi.serve.writing import JSON, JobName, Round

Name = Annotated[str | None, Query(max_length=100, description="the name of a client; by default all")]
Day = Annotated[str | None, Query(max_length=40, description="a day or an instant, such as 2026-11-16; UTC")]


class JobList(BaseModel):
    """All jobs of the ledger."""

    place: str
    jobs: list[Job]


class Line(BaseModel):
    """A payment or a reversal."""

    client: str
    at: str
    round: int
    kind: str
    amount: str
    currency: str
    units: int
    reason: str
    row: int


class Statement(BaseModel):
    """Payments and reversals in a period; amounts are exact."""

    job: str
    client: str | None
    total: str
    currency: str
    lines: list[Line]


class Audited(BaseModel):
    """What an audit found: every row, signature, payment and budget was looked at."""

    job: str
    ok: bool
    rows: int
    settled: int
    paid: str
    currency: str
    head: str = Field(description="size and root of the log; note it elsewhere")
    findings: list[str]


def reading(jobs: Jobs, callers: Callers) -> APIRouter:
    """The routes of auditors, and a client's statement."""
    router = APIRouter(prefix="/v1", tags=["reading"])
    _add_jobs(router, jobs, callers)
    _add_books(router, jobs, callers)
    _add_statement(router, jobs, callers)
    return router


def _add_jobs(router: APIRouter, jobs: Jobs, callers: Callers) -> None:
    auditor = [Depends(callers.guard("auditor"))]

    @router.get("/jobs", operation_id="listJobs", dependencies=auditor)
    def list_jobs() -> JobList:
        """All jobs, with state, round and money."""
        return JobList(place=jobs.whole.place, jobs=[jobs.state(job) for job in jobs.names()])

    @router.get("/jobs/{job}", operation_id="getJob", dependencies=auditor)
    def get_job(job: JobName) -> Job:
        """One job: terms, state, round and money."""
        return jobs.state(job)

    @router.get("/jobs/{job}/rounds/{round}", operation_id="getRound", dependencies=auditor, response_model=Payments)
    def get_round(job: JobName, round: Round) -> Response:
        """A settled round: verdicts, sizes, payments."""
        ledger = jobs.reader(job)
        rows = ledger.round_rows(round) if round <= ledger.settled else []
        if not rows:
            raise Refusal(404, f"round {round} is not settled", field="round")
        return Response(payments(job, settled_of(rows, ledger), ledger.money), media_type=JSON)


def _add_books(router: APIRouter, jobs: Jobs, callers: Callers) -> None:
    auditor = [Depends(callers.guard("auditor"))]

    @router.get("/jobs/{job}/export", operation_id="exportJob", dependencies=auditor, response_class=FileResponse)
    def export_job(job: JobName, format: Literal["csv", "parquet"] = "csv") -> FileResponse:
        """All rows as a file; amounts in units."""
        ledger, folder = jobs.reader(job), tempfile.TemporaryDirectory(prefix="lefi-export-")
        path = File(folder.name) / f"rows.{format}"
        try:
            export(frames(ledger.rows()), path)
        except BaseException:
            folder.cleanup()
            raise
        kind = "text/csv" if format == "csv" else "application/vnd.apache.parquet"
        return FileResponse(path, media_type=kind, filename=path.name, background=BackgroundTask(folder.cleanup))

    @router.get("/jobs/{job}/verify", operation_id="verifyJob", dependencies=auditor)
    def verify_job(job: JobName) -> Audited:
        """Check every row, every signature and every payment, with the public key beside the ledger."""
        ledger = jobs.reader(job)
        place = place_of(ledger.url)
        found = verify(ledger, read_public(public_beside(place) if public_beside(place).exists() else place))
        return Audited(
            job=job, ok=not found.findings, rows=found.rows, settled=found.settled, head=found.head,
            paid=found.money.text(found.units), currency=found.money.currency, findings=found.findings[:100],
        )  # fmt: skip


def _add_statement(router: APIRouter, jobs: Jobs, callers: Callers) -> None:
    @router.get("/jobs/{job}/statement", operation_id="statement", response_model=Statement)
    def statement_of(
        request: Request,
        job: JobName,
        caller: Annotated[Caller, Depends(callers.guard("client"))],
        client: Name = None,
        start: Annotated[Day, Query(alias="from")] = None,
        end: Annotated[Day, Query(alias="to")] = None,
        format: Literal["json", "csv"] = "json",
    ) -> Response:
        """Payments and reversals of a client, or of all, in a period. A client sees its own alone."""
        client = caller.client if caller.role == "client" and client is None else client
        callers.own(request, caller, job, client)
        ledger = jobs.reader(job)
        money = ledger.money
        table = statement(ledger.rows(), money, client, start, end)
        if format == "csv":
            name = {"content-disposition": 'attachment; filename="statement.csv"'}
            return Response(harmless(table).write_csv(), media_type="text/csv", headers=name)
        lines = table.with_columns(pl.col("amount").cast(pl.String)).to_dicts()
        told = {"job": job, "client": client, "total": money.text(total(table)), "currency": money.currency}
        return Response(dumped(told | {"lines": lines}), media_type=JSON)
