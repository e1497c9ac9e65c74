"""All jobs of one ledger: those that this service runs, each with its turn, and readers of all.

A caller waits for its turn without holding a thread, so a slow job keeps nobody else waiting.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from lefi.arrays import IntArray
from lefi.errors import InputError, OfferError, UnknownName
from lefi.ledger import Ledger
from lefi.mechanisms.explanation import Explaining, Explanation
from lefi.mechanisms.mechanism import done
from lefi.serve.bodies import JobBody
from lefi.serve.limits import Limits
from lefi.serve.live import Live
from lefi.serve.problems import Refusal
from lefi.serve.shadows import Shadows, may_end
from lefi.serve.states import Job, state_of

P = ParamSpec("P")
T = TypeVar("T")
SAID_BEFORE = (Refusal, InputError, UnknownName, OfferError)  # raised before anything is written


class Jobs:
    """The jobs of the ledger at one place, by name."""

    def __init__(self, place: str, limits: Limits) -> None:
        self.place, self.limits = place, limits
        self.whole = Ledger(place, "")
        self.over = False  # whether the service is about to stop
        self.live: dict[str, Live] = {}
        self.readers = {"": Ledger(place, "", create=False, reading=True)}
        self.shadows = Shadows()
        self.lock = threading.Lock()  # of the two tables above
        self.turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.waiting: defaultdict[str, int] = defaultdict(int)
        self.threads = CapacityLimiter(limits.threads)

    def names(self) -> list[str]:
        return self.whole.jobs()

    def reader(self, job: str) -> Ledger:
        """A ledger of this job that cannot write; each call takes a connection of its own."""
        with self.lock:
            if job not in self.readers:
                if job not in (known := self.names()):
                    raise UnknownName("job", job, known)
                self.readers[job] = self.readers[""].of(job)
            return self.readers[job]

    @contextmanager
    def writer(self, job: str) -> Iterator[Ledger]:
        """A ledger that can take an order: the one of a job that runs here, or one for this once."""
        live = self.live.get(job)
        if live is not None:
            with live.lock:
                yield live.ledger
        else:
            with Ledger(self.place, job, create=False) as ledger:
                yield ledger

    def create(self, body: JobBody) -> bool:
        """Begin a job, or find that it was begun just so. Whether it is new."""
        new = body.job not in (known := self.names())
        if new and len(known) >= self.limits.jobs:
            raise Refusal(409, f"there are {len(known)} jobs already, at most {self.limits.jobs} are taken")
        live = self._opened(body.job, body)
        if live.body != body:
            raise Refusal(409, f"job {body.job!r} was begun with other terms: use another name", field="job")
        return new

    def get(self, job: str) -> Live:
        """A job that this service runs; one that is not in memory is told its receipts again."""
        with self.lock:
            if job in self.live:
                self.live[job] = self.live.pop(job)  # the one that was used last is closed last
                return self.live[job]
        served = (self.reader(job).noted() or {}).get("served")
        if not isinstance(served, str):
            raise Refusal(409, f"job {job!r} is not played by this service; it can be shown and ordered", field="job")
        return self._opened(job, JobBody.model_validate_json(served))

    def _opened(self, job: str, body: JobBody) -> Live:
        with self.lock:
            if job in self.live:
                return self.live[job]
        ledger = Ledger(self.place, job)
        try:
            live = Live(ledger, body, self.limits.clients)
        except BaseException:
            ledger.close()
            raise
        with self.lock:
            self.live[job] = live
        return live

    def explain(self, job: str, ids: IntArray) -> Explanation | None:
        """What the mechanism of a job believes; None where it cannot say. Of a job that runs elsewhere, a twin says."""
        if (live := self.live.get(job)) is not None:
            return live.explain(ids)
        twin = self.shadows.of(self.reader(job))
        return twin.explain(ids) if isinstance(twin, Explaining) else None

    def done(self, job: str) -> str | None:
        """Why the mechanism of a job wants no further round; None while it goes on. Of other jobs a twin says."""
        if (live := self.live.get(job)) is not None:
            return done(live.books.mechanism)
        reader = self.reader(job)
        name = (reader.noted() or {}).get("mechanism")
        return done(self.shadows.of(reader)) if isinstance(name, str) and may_end(name) else None

    def state(self, job: str) -> Job:
        """How a job stands."""
        return state_of(self.reader(job), self.done(job))

    def drop(self, job: str) -> None:
        """Forget what is in memory of a job; the next caller starts from the ledger."""
        with self.lock:
            live = self.live.pop(job, None)
        if live is not None:
            live.close()

    async def work(self, job: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with a job, one caller after another, on a thread."""

        def step() -> T:
            try:
                return function(*args, **kwargs)
            except SAID_BEFORE:
                raise
            except BaseException:  # what memory holds may differ from what is written
                self.drop(job)
                raise

        async with self._turn(job):
            result = await to_thread.run_sync(step, limiter=self.threads)
        await self._make_room()
        return result

    async def _make_room(self) -> None:
        """Close jobs that were not used for long: each holds files and memory, and comes back when it is called."""
        while len(self.live) > self.limits.live:
            idle = next((job for job in list(self.live) if not self.waiting.get(job)), None)
            if idle is None:
                return
            async with self._turn(idle):
                await to_thread.run_sync(self.drop, idle, limiter=self.threads)

    @asynccontextmanager
    async def _turn(self, job: str) -> AsyncIterator[None]:
        if self.waiting[job] >= self.limits.waiting:
            raise Refusal(503, f"{self.waiting[job]} callers wait for job {job!r}: try again")
        self.waiting[job] += 1
        try:
            async with self.turns[job]:
                yield
        finally:
            self.waiting[job] -= 1
            if not self.waiting[job]:
                del self.waiting[job]
                self.turns.pop(job, None)

    def close(self) -> None:
        for job in list(self.live):
            self.drop(job)
        for ledger in (self.readers[""], self.whole):
            ledger.close()
