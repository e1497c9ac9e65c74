"""Run the job whose work is judged on a SuperLink and its SuperNodes, inside the namespace; its server is killed once.

Arguments: folder with keys and certificate, number of nodes, run-config. The second start goes on where the first was.
"""

import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

from lefi.ledger import Ledger
from tests.flower.deployment import PORTS, register, start_link, start_node, wait_for
from tests.flower.isolation import WATCHED_APP, devices, stop_all


def run(config: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["flwr", "run", str(WATCHED_APP), "dep", "--stream", "--run-config", config])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def settled(place: Path) -> int:
    with Ledger(place, reading=True) as ledger:
        return ledger.settled


def main() -> None:
    folder, nodes, config = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    assert devices() == ["lo"], devices()
    try:
        start_link(folder)
        register(folder, nodes)
        for number in range(nodes):  # one after the other: all at once, the first ones time out on two cores
            start_node(folder, number, f"node-{number}")
            wait_for(f"node {number}", partial(listens, PORTS + number), 120)
        run(config)
        wait_for("the server to die", (folder / "died").exists, 1200)
        before = settled(folder / "ledger.db")
        assert run(config).wait(1200) == 0
        assert settled(folder / "ledger.db") > before > 0
    finally:
        stop_all()


if __name__ == "__main__":
    main()
