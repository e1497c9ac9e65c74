"""Server-sent events of a job. The id of an event is the number of its row, so a reconnect misses nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header
from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse

from lefi.ledger import Ledger
from lefi.serve.callers import Callers
from lefi.serve.jobs import Jobs
from lefi.serve.problems import Refusal
from lefi.serve.writing import JobName

LOOK = 0.25  # seconds between two looks into the ledger: a round is on the page within a second
HEARTBEAT = 10.0  # seconds of silence after which a comment is sent, so that nobody on the way hangs up
RETRY = 1000  # milliseconds after which a page connects again
STREAMS = 200  # open at once
LARGEST = 2**63 - 1

SCHEMA: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`round` {round}: settled; `state` {state}; `budget` {budget}: of the next round. The id of an "
        "event is the number of its row: send it as Last-Event-ID to go on from there.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def events(jobs: Jobs, callers: Callers) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["reading"], dependencies=[Depends(callers.guard("auditor"))])
    open_streams = 0

    @router.get("/jobs/{job}/events", operation_id="watchJob", responses=SCHEMA, response_class=StreamingResponse)
    async def watch(
        job: JobName,
        last_event_id: Annotated[str | None, Header(max_length=20)] = None,
    ) -> StreamingResponse:
        """New rounds and states as they are written, by whomever."""
        nonlocal open_streams
        ledger = await to_thread.run_sync(jobs.reader, job)
        if open_streams >= STREAMS:
            raise Refusal(503, f"{STREAMS} streams are open: try again")
        after = int(last_event_id) if last_event_id and last_event_id.isdecimal() else None

        async def stream() -> AsyncIterator[bytes]:
            nonlocal open_streams
            open_streams += 1
            try:
                async for part in _stream(jobs, ledger, None if after is None else min(after, LARGEST)):
                    yield part
            finally:
                open_streams -= 1

        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)

    return router


async def _stream(jobs: Jobs, ledger: Ledger, after: int | None) -> AsyncIterator[bytes]:
    """What is new, as it comes. Without a last event, first how things stand."""
    yield format_sse_event(retry=RETRY)
    silent = 0.0
    while not jobs.over:
        found, after = await to_thread.run_sync(_new, jobs, ledger, after)
        for part in found:
            yield part
        silent = 0.0 if found else silent + LOOK
        if silent >= HEARTBEAT:
            silent = 0.0
            yield format_sse_event(comment="here")
        await asyncio.sleep(LOOK)


def _new(jobs: Jobs, ledger: Ledger, after: int | None) -> tuple[list[bytes], int]:
    if after is None:
        state = jobs.state(ledger.job)
        told: dict[str, Any] = {"state": state.state, "budget": state.budget, "round": state.settled or None}
        said = {name: value for name, value in told.items() if value is not None}
        return [_event(name, {name: value}, state.row) for name, value in said.items()], state.row
    marks = ledger.marks(after)
    return list(_events(jobs, ledger, marks)), max([after, *(mark["seq"] for mark in marks)])


def _events(jobs: Jobs, ledger: Ledger, marks: list[dict[str, Any]]) -> Iterator[bytes]:
    """One event per row; the state is told after the rows that can change it."""
    for mark in marks:
        if mark["kind"] == "round":
            yield _event("round", {"round": mark["round"]}, mark["seq"])
        elif mark["kind"] == "budget" and mark["round"] == 0:
            yield _event("budget", {"budget": ledger.money.amount(mark["payment"])}, mark["seq"])
    if marks:
        yield _event("state", {"state": jobs.state(ledger.job).state}, marks[-1]["seq"])


def _event(name: str, data: dict[str, Any], row: int) -> bytes:
    return format_sse_event(data_str=json.dumps(data), event=name, id=str(row))
