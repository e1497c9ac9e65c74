"""Run jobs one after the other on a SuperLink and three SuperNodes with verified keys, inside the namespace.

Arguments: folder with keys and certificate, then for each job its app and run-config, as `paid=...`. While the example
is paid, the node of partition 2 dies by SIGKILL when the offers of round 1 are out, and comes back with the same key
when that round is settled.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lefi.ledger import Ledger
from tests.flower.isolation import APP, KINDS_APP, ROOT, devices, stop_all

LINK = "127.0.0.1:18000"
NODES, PORTS = 3, 19100  # and the first of their ports
APPS = {"paid": APP, "loud": ROOT / "tests" / "hostile" / "app", "kinds": KINDS_APP}


def start_link(folder: Path) -> None:
    certificate = ["--ssl-ca-certfile", "ca.pem", "--ssl-certfile", "link.pem", "--ssl-keyfile", "link.key"]
    port = LINK.split(":")[1]
    command = ["flower-superlink", *certificate, "--enable-supernode-auth", "--host", "127.0.0.1", "--port", port]
    subprocess.Popen([*command, "--disable-runtime-dependency-installation"], cwd=folder)
    wait_for("the SuperLink", _listens, 120)


def _listens() -> bool:
    host, port = LINK.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def start_node(folder: Path, number: int, key: str) -> "subprocess.Popen[bytes]":
    command = ["flower-supernode", "--superlink", LINK, "--root-certificates", "ca.pem", "--max-retries", "2"]
    command += ["--auth-supernode-private-key", key, "--host", "127.0.0.1", "--port", str(PORTS + number)]
    return subprocess.Popen([*command, "--node-config", f"partition-id={number}"], cwd=folder)


def register(folder: Path, nodes: int = NODES) -> None:
    home = Path(os.environ["FLWR_HOME"])
    home.mkdir(exist_ok=True)
    home.joinpath("config.toml").write_text(
        f'[superlink]\ndefault = "dep"\n[superlink.dep]\naddress = "{LINK}"\nroot-certificates = "{folder}/ca.pem"\n'
    )
    for number in range(nodes):
        subprocess.run(["flwr", "supernode", "register", str(folder / f"node-{number}.pub"), "dep"], check=True)


def wait_for(what: str, true: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.2)


def seen(place: Path, round: int, kind: str) -> bool:
    if not place.exists():
        return False
    with Ledger(place, job="paid") as ledger:
        return any(row["kind"] == kind for row in ledger.rows(after=round - 1) if row["round"] == round)


def run(job: str, config: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["flwr", "run", str(APPS[job]), "dep", "--stream", "--run-config", config])


def kill_and_revive(folder: Path, node: "subprocess.Popen[bytes]") -> None:
    """The node of partition 2, in round 1."""
    place = folder / "paid" / "ledger.db"
    wait_for("the offers of round 1", lambda: seen(place, 1, "offer"), 400)
    node.send_signal(signal.SIGKILL)
    wait_for("round 1 to end", lambda: seen(place, 1, "round"), 400)
    start_node(folder, 2, "node-2")


def main() -> None:
    folder, jobs = Path(sys.argv[1]), [text.partition("=")[::2] for text in sys.argv[2:]]
    assert devices() == ["lo"], devices()
    try:
        start_link(folder)
        register(folder)
        nodes = [start_node(folder, number, f"node-{number}") for number in range(NODES)]
        stranger = start_node(folder, NODES, "stranger")
        for job, config in jobs:
            running = run(job, config)
            if job == "paid":
                kill_and_revive(folder, nodes[2])
            assert running.wait(600) == 0
        assert stranger.poll() not in (None, 0), "a node without a registered key was let in"
    finally:
        stop_all()


if __name__ == "__main__":
    main()
