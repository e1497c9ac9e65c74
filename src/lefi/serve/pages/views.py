"""The views: what the pages read, all of it from the ledger. Every answer is bounded, whatever the size of the job."""

import threading
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from lefi.serve.context import Caller, Context
from lefi.serve.pages import account, overview
from lefi.serve.pages.answers import BINS, Answers, Bands, answers, cell, histogram
from lefi.serve.pages.beliefs import MOST, beliefs, ids_of
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.evidence import evidence
from lefi.serve.pages.rows import PAGE, rows
from lefi.serve.pages.series import series

KEPT = 4  # rounds whose clients are kept in memory, for clicks into a histogram
LONGEST = 100  # characters of a name or a word that is looked for

Round = Annotated[int, Query(ge=0, le=2**31 - 1)]
Some = Annotated[int | None, Query(ge=0, le=2**62)]
Bin = Annotated[int, Query(ge=0, lt=BINS)]
Text = Annotated[str | None, Query(max_length=LONGEST)]


class Jobs:
    """What is kept of each job between two requests."""

    def __init__(self, context: Context) -> None:
        self.context, self.lock, self.reading = context, threading.Lock(), threading.Lock()
        self.digests: dict[str, tuple[Digest, Bands]] = {}
        self.clients: dict[tuple[str, int], Answers] = {}

    def open(self, job: str) -> tuple[Digest, Bands]:
        """The digest of a job, as of now."""
        reader = self.context.reader(job)
        with self.lock:
            if job not in self.digests or self.digests[job][0].reader is not reader or not self.digests[job][0].noted:
                self.digests[job] = Digest(reader), Bands()
            found = self.digests[job]
        found[0].catch_up()
        return found

    def answers(self, digest: Digest, round: int) -> Answers:
        """The clients of a round; of closed ones the last few are kept."""
        key, last = (digest.reader.job, round), digest.rounds[-1].round if digest.rounds else 0
        with self.reading:  # two parts of a page ask for the same round at once
            found = self.clients.pop(key, None) or answers(digest, round)
            if round <= last:
                self.clients[key] = found
            while len(self.clients) > KEPT:
                self.clients.pop(next(iter(self.clients)))
        return found


def views(context: Context) -> APIRouter:
    """The router, for auditors and operators; a client sees its own account."""
    router, jobs = APIRouter(prefix="/v1/views", tags=["views"]), Jobs(context)
    looking = [Depends(context.guard("auditor"))]
    _of_jobs(router, jobs, looking)
    _of_rounds(router, jobs, looking)
    _of_clients(router, jobs, looking, context.guard("client"))
    return router


def _of_jobs(router: APIRouter, jobs: Jobs, looking: list[Any]) -> None:
    @router.get("/overview", dependencies=looking)
    def overview_of_jobs() -> dict[str, Any]:
        """All jobs, one line each."""
        lines = [overview.line(jobs.open(job)[0], jobs.context.done(job)) for job in jobs.context.jobs() if job]
        return {"place": jobs.context.place, "jobs": lines}

    @router.get("/jobs/{job}", dependencies=looking)
    def head_of_job(job: str) -> dict[str, Any]:
        """The head of a job's page: state, money, alerts, proof."""
        return overview.head(jobs.open(job)[0], jobs.context.done(job))

    @router.get("/jobs/{job}/rows", dependencies=looking)
    def rows_of_job(
        job: str, before: Some = None, kind: Text = None, client: Text = None, verdict: Text = None, round: Some = None
    ) -> dict[str, Any]:
        """Rows of the ledger, newest first."""
        wanted = {"kind": kind, "client": client, "verdict": verdict, "round": round}
        return rows(jobs.open(job)[0], before, PAGE, **wanted)


def _of_rounds(router: APIRouter, jobs: Jobs, looking: list[Any]) -> None:
    @router.get("/jobs/{job}/series", dependencies=looking)
    def series_of_job(job: str, after: Round = 0, start: Round = 1, end: Some = None) -> dict[str, Any]:
        """Accuracy, money and counts over rounds; `after` gives what is new."""
        return series(jobs.open(job)[0], after, start, end)

    @router.get("/jobs/{job}/bands", dependencies=looking)
    def bands_of_job(job: str, start: Round = 1, end: Some = None) -> dict[str, Any]:
        """Quantiles over clients, for some rounds."""
        digest, bands = jobs.open(job)
        return bands.read(digest, lambda number: jobs.answers(digest, number), start, end)

    @router.get("/jobs/{job}/histogram", dependencies=looking)
    def histogram_of_round(job: str, round: Round) -> dict[str, Any]:
        """Clients of a round by what they were offered and what they delivered."""
        return histogram(jobs.answers(jobs.open(job)[0], round), round)

    @router.get("/jobs/{job}/cell", dependencies=looking)
    def cell_of_histogram(job: str, round: Round, column: Bin, row: Bin) -> dict[str, Any]:
        """The clients of one cell of that histogram."""
        digest = jobs.open(job)[0]
        return cell(digest, jobs.answers(digest, round), column, row)

    @router.get("/jobs/{job}/evidence", dependencies=looking)
    def evidence_of_job(job: str) -> dict[str, Any]:
        """Who was caught, and who was not: evidence against clients over rounds, with the line of accusation."""
        return evidence(jobs.open(job)[0])


def _of_clients(router: APIRouter, jobs: Jobs, looking: list[Any], anybody: Callable[..., Caller]) -> None:
    @router.get("/jobs/{job}/clients", dependencies=looking)
    def clients_of_job(job: str, start: Text = None) -> dict[str, Any]:
        """Names that begin like this."""
        return {"clients": account.search(jobs.open(job)[0], start or "")}

    @router.get("/jobs/{job}/clients/{client:path}")
    def account_of_client(
        request: Request, job: str, client: str, caller: Annotated[Caller, Depends(anybody)], before: Some = None
    ) -> dict[str, Any]:
        """The account of one client, for itself too."""
        jobs.context.own(request, caller, job, client)
        return account.account(jobs.open(job)[0], client, before)

    @router.get("/jobs/{job}/beliefs", dependencies=looking)
    def beliefs_of_job(job: str, client: Annotated[list[str], Query(max_length=MOST)]) -> dict[str, Any]:
        """What the mechanism believes of these clients."""
        digest = jobs.open(job)[0]
        told = jobs.context.explain(job, ids_of(digest, client))
        return {"beliefs": beliefs(digest, client, told)}
