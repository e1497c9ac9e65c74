"""The bank on a GPU: checked against the CPU, then timed with the data resident on the device.

    python benchmarks/gpu.py [--clients 10000000] [--answers 100]

Needs CuPy, numpy and an NVIDIA GPU; numba speeds the check up but is not needed. A step takes one more answer of every
client in, filters, and gives mean and standard deviation at two weights. Medians over repeats, by CUDA events.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

# The surrogate alone: a GPU machine may have CuPy and numpy but none of what the rest of the package imports.
lefi = ModuleType("lefi")
lefi.__path__ = [str(Path(__file__).parents[1] / "src" / "lefi")]
sys.modules["lefi"] = lefi

from lefi.surrogate import Bank, Hyper, cuda  # noqa: E402
from lefi.surrogate.kernels import STATE_SPACE, rate  # noqa: E402
from lefi.surrogate.layout import BIG, NONE  # noqa: E402

HYPER = Hyper(1.0, 1.0, 1e-3)
REPEAT = 7


def check(kernel: str, storage: str) -> float:
    """Largest difference to the CPU after ragged rounds, in means, deviations, covariances, slopes and evidence."""
    rng = np.random.default_rng(0)
    banks = [Bank(kernel, HYPER, storage=storage, device=device) for device in ("cpu", "cuda")]
    everybody = np.arange(2000)
    for _ in range(40):
        ids = rng.permutation(everybody)[:1500]
        x = rng.uniform(0, 3, ids.size)
        y = np.where(rng.random(ids.size) < 0.2, np.nan, np.log1p(x) + 0.03 * rng.standard_normal(ids.size))
        for bank in banks:
            bank.observe(ids, x, y)
    q = np.sort(rng.uniform(0, 3, (everybody.size, 3)), axis=1)
    answers = [(*b.predict(everybody, q), *b.joint(everybody, q), *b.slope(everybody, q[:, 0])) for b in banks]
    weighed = [bank.evidence() / np.maximum(bank.count, 1) for bank in banks]
    order = [np.argsort(bank.ids) for bank in banks]
    pairs = [*zip(*answers, strict=True), tuple(w[o] for w, o in zip(weighed, order, strict=True))]
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def timed(xp: Any, action: Any) -> float:
    """Median milliseconds on the device."""
    times = []
    for _ in range(REPEAT):
        start, end = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        action()
        end.record()
        end.synchronize()
        times.append(xp.cuda.get_elapsed_time(start, end))
    return float(np.median(times))


def resident(xp: Any, kernel: str, storage: str, clients: int, answers: int) -> dict[str, Any]:
    """A step of the whole fleet, and a copy of the bytes it moves."""
    rng = xp.random.default_rng(0)
    dtype = xp.dtype(storage)
    X, Y = xp.full((answers + 1, clients), BIG, dtype), xp.full((answers + 1, clients), NONE, dtype)
    for t in range(answers):  # increasing inputs, as the bank keeps them
        X[t] = (t + rng.random(clients)) * (3.0 / answers)
        Y[t] = xp.log1p(X[t]) + 0.03 * rng.standard_normal(clients)
    px = 3.0 * rng.random(clients)
    py = xp.log1p(px)
    ones, zeros = xp.ones(clients), xp.zeros(clients)
    scale, noise = rate(kernel, np.ones(1))[0] * ones, HYPER.noise * ones
    Q = xp.stack([px, px + 0.05])
    slope, count = xp.zeros(3), xp.full(clients, answers, xp.int64)
    F, C, G = xp.empty((2, clients)), xp.zeros((6, clients)), xp.empty((0, clients))

    def step() -> None:
        # Count stays, so every repeat takes the same work: it slips an answer in and pushes the last one out.
        cuda.launch(STATE_SPACE[kernel], True, X, Y, count, px, py, scale, noise, zeros, Q, slope, F, C, G)

    step()
    took = timed(xp, step)
    Z = xp.empty_like(X)
    copy = 2 * timed(xp, lambda: xp.copyto(Z, X))  # X and Y
    moved = 2 * (X.nbytes + Y.nbytes)
    row = {"kernel": kernel, "storage": storage, "clients": clients, "answers": answers, "step_ms": took}
    return {**row, "copy_ms": copy, "copies": took / copy, "copy_GB_per_s": moved / copy / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=10_000_000)
    parser.add_argument("--answers", type=int, default=100)
    options = parser.parse_args()
    xp = cuda.cupy()
    rows: list[dict[str, Any]] = []
    for storage, limit in (("float64", 1e-9), ("float32", 1e-4)):
        for kernel in STATE_SPACE:
            gap = check(kernel, storage)
            print(f"{kernel:9} {storage}: differs from the CPU by {gap:.1e}", flush=True)
            if gap > limit:
                raise SystemExit(f"more than {limit:g}: the GPU is wrong")
            rows.append(resident(xp, kernel, storage, options.clients, options.answers) | {"gap": gap})
            r = rows[-1]
            print(f"  step {r['step_ms']:.1f} ms, copy {r['copy_ms']:.1f} ms ({r['copy_GB_per_s']:.0f} GB/s): ", end="")
            print(f"{r['copies']:.2f} copies", flush=True)
            xp.get_default_memory_pool().free_all_blocks()
    out = Path(os.environ.get("OUT", "results/bench"))
    out.mkdir(parents=True, exist_ok=True)
    (out / "gpu.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
