"""A place where Flower's daemons can neither reach the network nor outlive the test.

A namespace of its own with nothing but a loopback device: whatever works in there needs no more. The process namespace
ends with its first process, and the kernel then ends whatever is left in it.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
APP = ROOT / "examples" / "flower"
KINDS_APP = ROOT / "tests" / "flower" / "kinds_app"
PATIENT = ROOT / "tests" / "flower" / "patient"
WATCHED_APP = ROOT / "tests" / "flower" / "watched_app"
BIN = Path(sys.executable).parent
LOOPBACK = ("unshare", "-n", "bash", "-c", 'ip link set lo up; exec "$@"', "_")
OWN_PROCESSES = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
AS_ROOT = () if os.getuid() == 0 else ("unshare", "--map-root-user")


def possible() -> bool:
    """Whether this machine lets us have the namespaces."""
    probe = [*AS_ROOT, *OWN_PROCESSES, *LOOPBACK, "test", "-e", "/proc/self"]
    try:
        return subprocess.run(probe, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def environment(home: Path, *, patient: bool = False) -> dict[str, str]:
    """Every switch that keeps Flower and Ray at home. Patient: no process is given up because the machine is busy."""
    path = [
        str(PATIENT) if patient else None,
        str(ROOT),
        os.environ.get("PYTHONPATH"),
    ]  # the root: apps of the tests
    (home / "ray_bootstrap_config.yaml").write_text("provider: {type: local}\n")
    return {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "HOME": str(home),
        "FLWR_HOME": str(home / "flwr"),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }


def isolated(arguments: Sequence[str], home: Path, timeout: float, *, patient: bool = False) -> str:
    """Run a Python module of the tests in there; its output, or an AssertionError with it."""
    command = [*AS_ROOT, *OWN_PROCESSES, *LOOPBACK, sys.executable, "-m", *arguments]
    log = home / "log"
    with log.open("w") as file:
        place = environment(home, patient=patient)
        process = subprocess.Popen(command, cwd=ROOT, env=place, stdout=file, stderr=subprocess.STDOUT)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
    assert code == 0, log.read_text()[-6000:]
    return log.read_text()


def devices() -> list[str]:
    """Network devices that this process can see."""
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines]


def others() -> dict[int, str]:
    """All other processes of this namespace, by pid."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue
    return {pid: command for pid, command in found.items() if command}  # without a command line: already dead


def stop_all() -> None:
    """Stop every daemon by pid, kindly first. Only inside a process namespace of our own."""
    assert os.getpid() == 1, "not in a namespace of our own"
    for how, patience in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0)):
        for pid in others():
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                continue
        end = time.monotonic() + patience
        while others() and time.monotonic() < end:
            time.sleep(0.2)
            _reap()
    assert not others(), others()


def _reap() -> None:
    """As the first process of the namespace we inherit the orphans."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
