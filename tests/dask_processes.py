"""A Dask scheduler and a worker as processes of their own, on loopback, stopped by pid."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Process = subprocess.Popen[bytes]


@contextmanager
def dask_processes(folder: Path) -> Iterator[tuple[str, list[Process]]]:
    """host:port of the scheduler; scheduler and worker."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    scheduler = ["dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"]
    worker = ["dask_worker", f"tcp://127.0.0.1:{port}", "--host", "127.0.0.1", "--nworkers", "1", "--nthreads", "1"]
    worker += ["--no-dashboard", "--no-nanny", "--local-directory", str(folder)]
    environment = os.environ | {"DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False"}
    started: list[Process] = []
    for name, *arguments in (scheduler, worker):
        command = [sys.executable, "-m", f"distributed.cli.{name}", *arguments]
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=folder))
    try:
        yield f"127.0.0.1:{port}", started
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(20)
