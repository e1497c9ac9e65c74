"""Routes that change something: jobs, rounds, orders. Each effect is one transaction of the ledger."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from lefi.ledger import Ledger
from lefi.ledger.accounting import order
from lefi.serve import rendering
from lefi.serve.bodies import AnswersBody, BudgetBody, JobBody, OpenBody, RosterBody
from lefi.serve.callers import Callers
from lefi.serve.jobs import Jobs
from lefi.serve.problems import Refusal
from lefi.serve.states import Job

JSON = "application/json"
LAST_ROUND = 2**31 - 1  # rounds are 32-bit numbers in the ledger
JobName = Annotated[str, Path(max_length=100)]
Round = Annotated[int, Path(ge=1, le=LAST_ROUND)]
Order = Literal["pause", "resume", "stop"]


def writing(jobs: Jobs, callers: Callers) -> APIRouter:
    """The routes of an operator."""
    router = APIRouter(prefix="/v1", dependencies=[Depends(callers.guard("operator"))], tags=["operator"])
    _add_jobs(router, jobs)
    _add_rounds(router, jobs)
    _add_orders(router, jobs)
    return router


def _add_jobs(router: APIRouter, jobs: Jobs) -> None:
    @router.post("/jobs", operation_id="createJob", status_code=201, responses={200: {"model": Job}})
    async def create(body: JobBody, response: Response) -> Job:
        """Begin a job. The same again changes nothing (200); another one of that name is refused (409)."""

        def step() -> tuple[bool, Job]:
            return jobs.create(body), jobs.state(body.job)

        new, state = await jobs.work(body.job, step)
        response.status_code = 201 if new else 200
        return state


def _add_rounds(router: APIRouter, jobs: Jobs) -> None:
    @router.post("/jobs/{job}/preview", operation_id="preview", response_model=rendering.Offers)
    async def preview(job: JobName, body: RosterBody) -> Response:
        """What the next round would offer to these clients. Nothing is written."""
        told = await jobs.work(job, lambda: rendering.offers(job, jobs.get(job).preview(body)))
        return Response(told, media_type=JSON)

    @router.put("/jobs/{job}/rounds/{round}", operation_id="openRound", response_model=rendering.Offers)
    async def open_round(job: JobName, round: Round, body: OpenBody) -> Response:
        """Open a round: the offers are written down, then told. The same round again gives the same offers."""
        told = await jobs.work(job, lambda: rendering.offers(job, jobs.get(job).open(round, body)))
        return Response(told, media_type=JSON)

    @router.post("/jobs/{job}/rounds/{round}/answers", operation_id="answer", response_model=rendering.Payments)
    async def answer(job: JobName, round: Round, body: AnswersBody) -> Response:
        """What came back: judges it, pays, closes the round. The same answers again change nothing and say so."""

        def step() -> bytes:
            live = jobs.get(job)
            return rendering.payments(job, live.answer(round, body), live.money)

        return Response(await jobs.work(job, step), media_type=JSON)


def _add_orders(router: APIRouter, jobs: Jobs) -> None:
    def ordered(job: str, kind: str, amount: float | None = None) -> Job:
        """Written for any job of the ledger; whoever plays it obeys at its next round."""
        reader = jobs.reader(job)
        if not _again(reader, kind, amount):
            with jobs.writer(job) as ledger:
                order(ledger, kind, "", None if amount is None else repr(amount))
        return jobs.state(job)

    @router.post("/jobs/{job}/{order}", operation_id="orderJob")
    async def order_job(job: JobName, order: Order) -> Job:
        """Pause, resume or stop a job before its next round. A round that is open is paid all the same."""
        if order != "stop" and jobs.state(job).state == "stopped":
            raise Refusal(409, f"job {job!r} is stopped for good", state="stopped")
        return await jobs.work(job, ordered, job, order)

    @router.put("/jobs/{job}/budget", operation_id="changeBudget")
    async def change_budget(job: JobName, body: BudgetBody) -> Job:
        """What each round may pay, from the next one on."""
        return await jobs.work(job, ordered, job, "budget", body.budget)


def _again(ledger: Ledger, kind: str, amount: float | None) -> bool:
    """Whether this very order holds already: the same click twice is one row."""
    orders = ledger.orders()
    if kind == "budget":
        return amount is not None and orders.budget == ledger.money.exact(amount)
    return orders.state == {"pause": "paused", "resume": "running", "stop": "stopped"}[kind]
