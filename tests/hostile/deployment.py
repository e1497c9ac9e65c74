"""Run the app under attack on a SuperLink and three SuperNodes, inside the namespace. Argument: folder of the keys."""

import subprocess
import sys
from pathlib import Path

from tests.flower.deployment import NODES, register, start_link, start_node
from tests.flower.isolation import devices, stop_all

APP = Path(__file__).with_name("app")


def main() -> None:
    folder = Path(sys.argv[1])
    assert devices() == ["lo"], devices()
    try:
        start_link(folder)
        register(folder)
        for number in range(NODES):
            start_node(folder, number, f"node-{number}")
        command = ["flwr", "run", str(APP), "dep", "--stream", "--run-config", f"folder='{folder}'"]
        assert subprocess.run(command, timeout=500, check=False).returncode == 0
    finally:
        stop_all()


if __name__ == "__main__":
    main()
