"""The views of jobs at their largest: 100,000 clients x 50 rounds, and 100 x 10,000. Part of `make long`.

Run: python -m tests.serve.pages.large. Fourteen million rows take some 5 GB and a quarter of an hour. Prints bytes
and seconds of every view, first cold and then when all rows are counted; fails where an answer has over 1 MB.
"""

import argparse
import tempfile
import time
from pathlib import Path

from tests.serve.pages.filled import fill
from tests.serve.pages.test_views import JOB, LARGEST, read, views
from tests.serve.running import Caller, served


def told(service: Caller, paths: list[str]) -> None:
    for path in paths:
        began = time.perf_counter()
        size = len(service("GET", path).data)
        print(f"  {time.perf_counter() - began:7.3f} s  {size:9,} bytes  {path}", flush=True)
        assert size < LARGEST


def measure(folder: Path, clients: int, rounds: int) -> None:
    began = time.perf_counter()
    fill(folder / "ledger.db", clients, rounds)
    print(f"{clients:,} clients x {rounds:,} rounds, written in {time.perf_counter() - began:.0f} s", flush=True)
    with served(folder / "ledger.db") as service:
        print(" cold:")
        told(service, views(rounds))
        began = time.perf_counter()
        while (head := read(service, JOB.format("large")))["read"] < 1:
            time.sleep(1)
        print(f" all {head['proof']['rows']:,} rows counted after another {time.perf_counter() - began:.0f} s:")
        told(service, views(rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the rounds")
    share = parser.parse_args().share
    for clients, rounds in ((100_000, 50), (100, 10_000)):
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), clients, max(1, int(share * rounds)))


if __name__ == "__main__":
    main()
