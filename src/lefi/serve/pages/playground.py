"""The playground: mechanisms play on the same simulated clients, round by round, as a stream of events.

Only what is registered by name is played: an address must not make the server load code.
"""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from lefi.errors import UnknownName
from lefi.mechanisms import make, registered
from lefi.optimum import equal_spend, first_best, oracle
from lefi.rounds import play
from lefi.serve.callers import COOKIE
from lefi.serve.context import Context
from lefi.serve.demo import SHOWS, Demo
from lefi.serve.pages.plain import number
from lefi.serve.problems import Refusal
from lefi.world.market import Market
from lefi.world.scenarios import ABOUT, OURS, scenario

LIMITS = {"clients": 1000, "rounds": 200, "mechanisms": 6, "budget": 1e6, "seed": 2**31 - 1}
FIRST = {
    "scenario": "mixed",
    "clients": 10,
    "budget": 5.0,
    "rounds": 40,
    "mechanisms": "waterfill,lefi,uniform",
    "seed": 1,
}
AT_ONCE = 2  # games; each keeps one core busy


@dataclass(frozen=True)
class Game:
    """What is played."""

    scenario: str
    clients: int
    budget: float
    rounds: int
    mechanisms: tuple[str, ...]
    seed: int

    def market(self, mechanism: str | None = None) -> Market:
        way = "curve" if mechanism is None else registered()[mechanism].payment
        return scenario(self.scenario, clients=self.clients, budget=self.budget, seed=self.seed, payment=way)


def playground(context: Context) -> APIRouter:
    """The router."""
    router = APIRouter(prefix="/v1/playground", tags=["playground"], dependencies=[Depends(context.guard("auditor"))])
    busy, showing = threading.BoundedSemaphore(AT_ONCE), threading.Semaphore(1)

    @router.get("/options")
    def options() -> dict[str, Any]:
        """What can be chosen, and with what the page begins."""
        ways = {name: factory.payment for name, factory in sorted(registered().items())}
        scenarios = [{"name": name, "about": ABOUT[name]} for name in OURS]
        return {"scenarios": scenarios, "mechanisms": ways, "limits": LIMITS, "first": FIRST}

    @router.get("/run")
    def run(
        scenario: Annotated[str, Query(max_length=100)],
        mechanisms: Annotated[str, Query(max_length=500)],
        clients: Annotated[int, Query(ge=1, le=LIMITS["clients"])] = 10,
        budget: Annotated[float, Query(gt=0, le=LIMITS["budget"])] = 5.0,
        rounds: Annotated[int, Query(ge=1, le=LIMITS["rounds"])] = 40,
        seed: Annotated[int, Query(ge=0, le=LIMITS["seed"])] = 0,
    ) -> StreamingResponse:
        """Play, and stream one event per round."""
        names = _known(scenario, mechanisms)
        if not busy.acquire(blocking=False):
            raise Refusal(503, f"{AT_ONCE} games are being played already: try again in a moment")
        game = Game(scenario, clients, budget, rounds, names, seed)
        return StreamingResponse(_streamed(events(game), busy), media_type="text/event-stream")

    @router.post("/demo", status_code=202, dependencies=[Depends(context.guard("operator"))])
    def demo(request: Request) -> dict[str, str]:
        """Begin a simulated job that plays through this service, so that there is something to watch."""
        if not showing.acquire(blocking=False):
            raise Refusal(409, f"the simulated job {SHOWS[1].job!r} plays already")
        shown = request.headers.get("authorization", "").removeprefix("Bearer ") or request.cookies.get(COOKIE)
        host, port = request.scope["server"]  # not the Host header: the token must not go where a caller says
        Demo(f"{request.url.scheme}://{host}:{port}", shown, SHOWS[1:2]).start()
        return {"job": SHOWS[1].job}

    return router


def _known(wanted: str, mechanisms: str) -> tuple[str, ...]:
    """The mechanisms, each once; raises where one or the scenario is not ours."""
    if wanted not in OURS:
        raise UnknownName("scenario", wanted, list(OURS))
    names = tuple(dict.fromkeys(name.strip() for name in mechanisms.split(",") if name.strip()))
    for name in names:
        if name not in registered():
            raise UnknownName("mechanism", name, sorted(registered()))
    if not 1 <= len(names) <= LIMITS["mechanisms"]:
        raise Refusal(422, f"mechanisms: {len(names)} were named, 1 to {LIMITS['mechanisms']} can be played")
    return names


async def _streamed(events: Iterator[str], busy: threading.BoundedSemaphore) -> AsyncIterator[str]:
    """One event at a time, computed in a thread; a page that goes away ends the game."""
    try:
        while (event := await run_in_threadpool(next, events, None)) is not None:
            yield event
    finally:
        busy.release()


def events(game: Game) -> Iterator[str]:
    """begin, a round at a time, end."""
    market = game.market()
    yield _event("begin", {"oracle": number(oracle(market).accuracy), "best": number(first_best(market).accuracy)})
    games = {name: _played(game, name) for name in game.mechanisms}
    last: dict[str, float] = {}
    for round in range(1, game.rounds + 1):
        told = {}
        for name, played in games.items():
            receipt = next(played)
            last[name] = receipt.accuracy
            told[name] = {"accuracy": number(receipt.accuracy), "paid": number(receipt.paid)}
        yield _event("round", {"round": round, "played": told})
    yield _event("end", {"equal": {name: number(equal_spend(market, reached)) for name, reached in last.items()}})


def _played(game: Game, name: str) -> Iterator[Any]:
    market = game.market(name)
    return play(make(name, market.terms, seed=game.seed), market, game.rounds, game.seed)


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
