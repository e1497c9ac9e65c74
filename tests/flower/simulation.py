"""Run an app in Flower's simulation engine, inside the namespace. Arguments: app, nodes, run-config."""

import subprocess
import sys

from tests.flower.isolation import devices, stop_all


def main() -> None:
    app, nodes, config = sys.argv[1:]
    assert devices() == ["lo"], devices()
    command = ["flwr", "run", app, "--stream", "--run-config", config]
    # One process for all clients: each that Ray starts imports Flower and lefi anew.
    engine = f"num-supernodes={nodes} client-resources-num-cpus=1 init-args-num-cpus=1"
    command += ["--federation-config", engine]
    try:
        subprocess.run(command, check=True, timeout=500)
    finally:
        stop_all()


if __name__ == "__main__":
    main()
