"""Kill the server at random instants, start it again, and compare its ledger with that of an undisturbed run.

The server is a process of its own (a fork, so that a start costs no imports) and dies by SIGKILL. A job goes on until
it is done; then the next begins, until there were enough kills. Run: python -m tests.flower.kills --kills 200
"""

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.exports import export
from lefi.ledger.keys import VARIABLE, place_of, read_public
from lefi.ledger.views import frame
from tests.databases import postgres
from tests.flower import toy

ROUNDS = 10
SHARE = 0.6  # of an undisturbed run, the longest that a start lives: most jobs are killed several times
SETTINGS = [
    ("lefi", False), ("price", True), ("contract", False), ("pool", True), ("auction", False), ("contest", True),
    ("auction", True), ("price", False), ("uniform", True), ("bara", False),
]  # fmt: skip


def serve(place: str, folder: Path, mechanism: str, two_phase: bool) -> None:
    """The server: one start of the job, from wherever the ledger is. Faults come on top of the kills."""

    def faults(round: int, partition: int, kind: str) -> str | None:
        return "silent" if (round + partition) % 5 == 0 and kind != "query.hello" else None

    incentive, _ = toy.run(
        place,
        rounds=ROUNDS,
        mechanism=mechanism,
        two_phase=two_phase,
        measure=toy.score,
        checkpoints=folder,
        faults=faults,
    )
    incentive.ledger.close()


def table(place: str, folder: Path) -> bytes:
    """The exported ledger without the clock."""
    with Ledger(place, reading=True) as ledger:
        found = verify(ledger, read_public(place_of(ledger.url)))
        assert not found.findings, found.findings
        assert found.settled == ROUNDS
        export(frame(ledger.rows(), clock=False), folder / "ledger.parquet")
    return (folder / "ledger.parquet").read_bytes()


def last_row(place: str) -> str:
    """Where the kill struck, as far as the ledger shows."""
    with Ledger(place) as ledger:
        rows = list(ledger.rows())
    return rows[-1]["kind"] if rows else "nothing"


def start_and_kill(place: str, folder: Path, setting: tuple[str, bool], delay: float) -> bool:
    """One start of the server; True where it was killed, False where it had finished."""
    child = os.fork()
    if child == 0:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
        try:
            serve(place, folder, *setting)
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
            os._exit(1)
        os._exit(0)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the server failed"
    return os.WIFSIGNALED(status)


def torment(kills: int, new_place: "PlaceMaker", random: Random) -> Counter[str]:
    """Kill until that many kills are done; jobs take turns through the settings."""
    calm: dict[tuple[str, bool], tuple[bytes, float]] = {}
    first = random.randrange(len(SETTINGS))
    struck: Counter[str] = Counter()
    jobs = 0
    while sum(struck.values()) < kills:
        setting = SETTINGS[(first + jobs) % len(SETTINGS)]
        if setting not in calm:
            calm[setting] = undisturbed(new_place, setting)
        expected, seconds = calm[setting]
        place, folder = new_place()
        while start_and_kill(place, folder, setting, random.uniform(0, SHARE * seconds)):
            struck[last_row(place)] += 1
        assert table(place, folder) == expected, f"the ledgers of {setting} differ"
        jobs += 1
    print(f"{sum(struck.values())} kills in {jobs} jobs; last row at the kill: {dict(struck)}")
    return struck


def undisturbed(new_place: "PlaceMaker", setting: tuple[str, bool]) -> tuple[bytes, float]:
    """The table of a run that nobody kills, and the seconds that it took."""
    place, folder = new_place()
    began = time.perf_counter()
    serve(place, folder, *setting)
    return table(place, folder), time.perf_counter() - began


class PlaceMaker:
    """Fresh ledgers: files in a scratch folder, or databases of a PostgreSQL server."""

    def __init__(self, scratch: Path, server: str | None) -> None:
        self.scratch, self.server, self.made = scratch, server, 0

    def __call__(self) -> tuple[str, Path]:
        self.made += 1
        folder = self.scratch / str(self.made)
        folder.mkdir()
        if self.server is None:
            return str(folder / "ledger.db"), folder
        from sqlalchemy import create_engine, text

        os.environ[VARIABLE] = str(folder / "ledger.key")
        engine = create_engine(self.server.replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE kills_{self.made}"))
        engine.dispose()
        return self.server.replace("/postgres?", f"/kills_{self.made}?"), folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--server", help="a PostgreSQL server; by default SQLite files")
    parser.add_argument("--postgres", type=int, default=0, help="so many more on a PostgreSQL server of our own")
    chosen = parser.parse_args()
    memory = Path("/dev/shm")  # a kill, unlike a power cut, does not ask whether the disk has it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        torment(chosen.kills, PlaceMaker(Path(scratch), chosen.server), Random(chosen.seed))
    if chosen.postgres:
        with tempfile.TemporaryDirectory() as scratch, postgres.server() as server:
            torment(chosen.postgres, PlaceMaker(Path(scratch), server), Random(chosen.seed))


if __name__ == "__main__":
    main()
