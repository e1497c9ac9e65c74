"""Simulated jobs that play slowly through a service, so that there is something to watch."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import lefi
from lefi.errors import LefiError
from lefi.messages import Receipt
from lefi.remote import Remote, RemoteError
from lefi.rounds import play

ROUNDS = 10_000  # a few hours


@dataclass(frozen=True)
class Show:
    """A job of the demonstration; seconds between its rounds."""

    job: str
    mechanism: str
    scenario: str
    clients: int
    budget: float
    pause: float


SHOWS = (
    Show("phones", "waterfill", "mixed", 60, 30.0, 1.0),
    Show("hospitals", "price", "reluctant", 12, 0.5, 2.0),
    Show("cars", "lefi", "churning", 30, 15.0, 3.0),
)


class Demo:
    """Plays the shows on threads of its own, until it is stopped."""

    def __init__(self, url: str, token: str | None = None, shows: tuple[Show, ...] = SHOWS) -> None:
        self.url, self.token = url, token
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(show,), daemon=True) for show in shows]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.over.set()
        for thread in self.threads:
            if thread.is_alive():
                thread.join(5)

    def _run(self, show: Show) -> None:
        try:
            for _ in self._rounds(show):
                if self.over.wait(show.pause):
                    return
        except LefiError as error:
            if not self.over.is_set():
                print(f"demo: job {show.job} ends: {error}", flush=True)

    def _rounds(self, show: Show) -> Iterator[Receipt]:
        """As `play`, but a job that is paused waits."""
        market = lefi.scenario(show.scenario, clients=show.clients, budget=show.budget, seed=1)
        market = market.taking(lefi.registered()[show.mechanism].payment)
        remote = Remote.create(self.url, self.token, show.job, terms=market.terms, mechanism=show.mechanism, seed=1)
        try:
            yield from play(_Patient(remote, self.over), market, ROUNDS, seed=1)
        finally:
            remote.close()


class _Patient:
    """A remote mechanism that waits while its job is paused."""

    def __init__(self, remote: Remote, over: threading.Event) -> None:
        self.remote, self.over = remote, over
        self.ask = remote.ask

    def tell(self, receipt: Receipt) -> None:
        while True:
            try:
                self.remote.tell(receipt)
                return
            except RemoteError as error:
                if error.problem.get("state") != "paused" or self.over.wait(1.0):
                    raise
