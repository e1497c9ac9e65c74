"""Run an app in Flower's simulation engine, inside the namespace. Arguments: app, nodes, run-config.

A fourth names a file that the server of the app makes when it dies by its own hand: then it is started once more.
"""

import subprocess
import sys
from pathlib import Path

from tests.flower.deployment import wait_for
from tests.flower.isolation import devices, stop_all


def until_it_dies(command: list[str], made: Path) -> None:
    first = subprocess.Popen(command)
    wait_for("the server to die", made.exists, 400)
    first.kill()
    first.wait()


def main() -> None:
    app, nodes, config, *died = sys.argv[1:]
    assert devices() == ["lo"], devices()
    command = ["flwr", "run", app, "--stream", "--run-config", config]
    # One process for all clients: each that Ray starts imports Flower and lefi anew.
    engine = f"num-supernodes={nodes} client-resources-num-cpus=1 init-args-num-cpus=1"
    command += ["--federation-config", engine]
    try:
        for made in died:
            until_it_dies(command, Path(made))
        subprocess.run(command, check=True, timeout=500)
    finally:
        stop_all()


if __name__ == "__main__":
    main()
