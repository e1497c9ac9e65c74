"""Kill the service at random instants under load, start it again, and compare every payment with an undisturbed game.

Several callers play jobs over HTTP and repeat requests that they think were lost. The service is a process of its own
and dies by SIGKILL. Run: python -m tests.serve.kills --kills 50
"""

import argparse
import io
import multiprocessing
import os
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import lefi
from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.keys import VARIABLE, place_of, read_public
from lefi.ledger.money import Money
from lefi.messages import Receipt
from lefi.receipts import to_tables
from lefi.remote import Remote
from lefi.serve.server import Address, server
from lefi.world.market import Market
from tests.databases import postgres
from tests.serve.running import free_port

ROUNDS = 20  # of a job; then the next begins
JOBS = (("price", "mixed"), ("uniform", "flaky"), ("price", "churning"), ("contract", "mixed"))
LONGEST = 2.0  # seconds that the service lives once it listens
PATIENCE = 120.0  # seconds after which a caller takes the service for dead
AGAIN = 0.3  # share of rounds that a caller tells twice


def serve(place: str, port: int, key: str | None) -> None:
    """The service, in the process that will be killed. It was forked before the key was named."""
    if key:
        os.environ[VARIABLE] = key
    server(place, Address(port=port)).run()


def market_of(mechanism: str, scenario: str) -> Market:
    return lefi.scenario(scenario, clients=5, budget=2.0, seed=4).taking(lefi.registered()[mechanism].payment)


class Nagging(Remote):
    """Tells some rounds twice, as a caller does whose reply was lost."""

    random = Random(0)

    def tell(self, receipt: Receipt) -> None:
        for _ in range(2 if self.random.random() < AGAIN else 1):
            super().tell(receipt)


@dataclass
class Load:
    """Callers that play jobs one after another until they are told to stop; then each ends its job."""

    url: str
    over: threading.Event = field(default_factory=threading.Event)
    played: dict[str, tuple[str, str]] = field(default_factory=dict)  # job -> mechanism, scenario
    failed: list[BaseException] = field(default_factory=list)

    def caller(self, number: int) -> None:
        mechanism, scenario = JOBS[number % len(JOBS)]
        market, count = market_of(mechanism, scenario), 0
        try:
            while not self.over.is_set():
                job = f"{mechanism}-{number}-{count}"
                told = {"terms": market.terms, "mechanism": mechanism, "seed": 6, "patience": PATIENCE}
                remote = Nagging.create(self.url, None, job, **told)  # type: ignore[arg-type]
                for _ in lefi.play(remote, market, ROUNDS, seed=9):
                    pass
                remote.close()
                self.played[job] = (mechanism, scenario)
                count += 1
        except BaseException as error:
            self.failed.append(error)


def as_bytes(receipts: Sequence[Receipt]) -> bytes:
    out = io.BytesIO()
    for table in to_tables(receipts):
        table.write_ipc(out)
    return out.getvalue()


def expected(mechanism: str, scenario: str, place: Path) -> tuple[bytes, int]:
    """Receipts and units of the same game through books that nobody killed."""
    from tests.serve.running import served

    market = market_of(mechanism, scenario)
    with served(place / "calm.db") as call:
        remote = Remote.create(call.url, None, "calm", terms=market.terms, mechanism=mechanism, seed=6)
        receipts = list(lefi.play(remote, market, ROUNDS, seed=9))
        remote.close()
    money = Money()
    return as_bytes(receipts), sum(sum(money.units(receipt.payments)) for receipt in receipts)


def compare(place: str, played: dict[str, tuple[str, str]]) -> None:
    """No payment twice, none lost: receipts byte for byte, sums to the unit, and an audit."""
    wanted = {}
    for setting in set(played.values()):
        with tempfile.TemporaryDirectory() as folder:
            wanted[setting] = expected(*setting, Path(folder))
    for job, setting in played.items():
        with Ledger(place, job, reading=True) as ledger:
            key = place_of(ledger.url)
            found = verify(ledger, read_public(key))
            assert found.findings == [], (job, found.findings)
            assert (as_bytes(list(ledger.receipts())), found.units) == wanted[setting], f"job {job} was paid otherwise"


def rows(place: str) -> int:
    """How many rows all jobs have; 0 where there is no ledger yet."""
    try:
        with Ledger(place, "", create=False, reading=True) as ledger:
            return sum(ledger.of(job).last_row() for job in ledger.jobs())
    except lefi.LefiError:
        return 0


def wait_for(port: int) -> None:
    """Until something listens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise TimeoutError("the service does not start")


def torment(place: str, kills: int, seed: int = 0) -> Counter[str]:
    """Kill that often; where the kills struck, and how many jobs were played."""
    random, context = Random(seed), multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.serve.kills"])
    port = free_port()
    load, struck = Load(Address(port=port).url), Counter[str]()
    callers = [threading.Thread(target=load.caller, args=(number,), daemon=True) for number in range(len(JOBS))]
    for thread in callers:
        thread.start()
    for _ in range(kills):
        process = context.Process(target=serve, args=(place, port, os.environ.get(VARIABLE)))
        process.start()
        if random.random() < 0.9:  # some are killed while they start
            wait_for(port)
        before = rows(place)
        time.sleep(random.uniform(0.05, LONGEST))
        process.kill()
        process.join()
        struck["kills"] += 1
        struck["while rows were written"] += rows(place) > before
    load.over.set()
    last = context.Process(target=serve, args=(place, port, os.environ.get(VARIABLE)))
    last.start()
    for thread in callers:
        thread.join(2 * PATIENCE)
        assert not thread.is_alive(), "a caller hangs"
    last.terminate()
    last.join()
    assert load.failed == [], load.failed
    compare(place, load.played)
    struck["jobs"] = len(load.played)
    return struck


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--postgres", type=int, default=0, help="of them on PostgreSQL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("SQLite:", dict(torment(f"{folder}/ledger.db", given.kills - given.postgres)))
        if given.postgres:
            os.environ[VARIABLE] = f"{folder}/postgres.key"
            with postgres.server() as url:
                print("PostgreSQL:", dict(torment(url, given.postgres, seed=1)))
    print("no payment twice or lost")


if __name__ == "__main__":
    main()
