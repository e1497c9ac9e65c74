"""Run the example in Flower's simulation engine, inside the namespace. Arguments: folder, nodes, run-config."""

import subprocess
import sys

from tests.flower.isolation import APP, devices, stop_all


def main() -> None:
    nodes, config = sys.argv[1:]
    assert devices() == ["lo"], devices()
    command = ["flwr", "run", str(APP), "--stream", "--run-config", config]
    command += ["--federation-config", f"num-supernodes={nodes} client-resources-num-cpus=1"]
    try:
        subprocess.run(command, check=True, timeout=500)
    finally:
        stop_all()


if __name__ == "__main__":
    main()
