"""Speed of the bank against its rivals, in one run, on the same inputs, with results checked against each other.

    python benchmarks/run.py [--seconds 20] [--most 1000000] [--out results/bench]

Times are CPU seconds of one thread for one round of the whole fleet: take in one more answer of every client, fit,
predict mean and standard deviation at two weights. Each rival goes as far as it gets within its seconds.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.contest import contest, hyper_contest, linearity  # noqa: E402
from benchmarks.large import KERNELS, WHOLE, alone, copy_floor, million, whole_round  # noqa: E402
from lefi.studies.report.speed import draw_speed  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU time that a rival gets per length of history")
    parser.add_argument("--most", type=int, default=1_000_000, help="largest fleet")
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})  # before a rival counts the cores and starts its threads
    results: dict[str, object] = {
        "machine": machine(len(cores)),
        "contest": contest(options.seconds, options.most),
        "hyper": hyper_contest(options.most),
        "linearity": linearity(options.most),
        "floor": copy_floor(min(options.most, 200_000)),
    }
    os.sched_setaffinity(0, cores)
    steps = {kernel: alone(million, options.most, kernel) for kernel in KERNELS}
    results["million"] = steps
    results["whole round"] = alone(whole_round, options.most, steps[WHOLE]["seconds"])
    (options.out / "bench.json").write_text(json.dumps(results, indent=1))
    picture = draw_speed(options.out / "bench.json", options.out)[0]
    print(f"\nwrote {options.out / 'bench.json'} and {picture}; `lefi figures` puts them into the report")


def machine(cores: int) -> str:
    """The processor, in words."""
    told = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    names = [line.partition(":")[2].strip() for line in told if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {cores} cores"


if __name__ == "__main__":
    main()
