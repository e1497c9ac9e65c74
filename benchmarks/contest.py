"""The measurements, each printed as it is made. Times are CPU time of one thread unless said otherwise."""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.rivals import Rival, gpytorch_batched, sklearn_fixed, sklearn_optimiser, tinygp_vmap
from benchmarks.workload import Workload, filled, workload
from lefi.studies.judge.bench import Timing, per_client, ratios
from lefi.surrogate import Bank
from lefi.surrogate.evidence import learn, learn_each

LENGTHS = (20, 100)
FLEETS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
KERNELS = ("matern32", "matern52", "iwp", "rbf")
AGREE = {"scikit-learn": 1e-8, "GPyTorch": 1e-6, "tinygp": 1e-6}
Rows = list[dict[str, Any]]


def cpu(action: Callable[[], Any], repeat: int) -> float:
    """Median CPU seconds of this thread's process."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return float(np.median(times))


def use_threads(n: int) -> None:
    os.environ["LEFI_THREADS"] = str(n)


def ours(kernel: str, work: Workload, repeat: int) -> tuple[float, Bank]:
    """CPU seconds of a round: observe the last answer, predict at two weights."""
    bank = filled(kernel, Workload(work.x[:, :-1], work.y[:, :-1]))
    ids, q = bank.ids, work.q
    ids.flags.writeable = False
    bank.predict(ids, q)
    times = []
    for _ in range(repeat):
        twin = bank.copy() if repeat > 1 else bank
        start = time.process_time()
        twin.observe(ids, work.x[:, -1], work.y[:, -1])
        twin.predict(ids, q)
        times.append(time.process_time() - start)
    return float(np.median(times)), twin


def contest(seconds: float, most: int) -> Rows:
    """Ours and the rivals, for every length of history and every fleet that they reach."""
    use_threads(1)
    rows: Rows = []
    for rounds in LENGTHS:
        print(f"\none round, {rounds} answers per client: microseconds of CPU per client")
        for kernel in KERNELS:
            for clients in (n for n in FLEETS if n <= (most if kernel != "rbf" else 10_000)):
                work = workload(clients, rounds)
                took, _ = ours(kernel, work, 5 if clients <= 100_000 else 1)
                rows.append(_row(f"lefi {kernel}", clients, rounds, took))
        rivals: dict[str, Rival] = {
            "scikit-learn": sklearn_fixed,
            "GPyTorch": gpytorch_batched,
            "tinygp": tinygp_vmap(),
        }
        for name, rival in rivals.items():
            rows += _race(name, rival, rounds, seconds, most)
        _ratios(rows, rounds)
    return rows


def _race(name: str, rival: Rival, rounds: int, seconds: float, most: int) -> Rows:
    rows: Rows = []
    for clients in (n for n in FLEETS if n <= most):
        if rows and rows[-1]["seconds"] * 10 > seconds:
            break
        work = workload(clients, rounds)
        start = time.process_time()
        try:
            mean, std = rival(work.x, work.y, work.q)
        except (ImportError, MemoryError, RuntimeError) as error:
            print(f"  {name:18} stops at {clients}: {type(error).__name__}")
            break
        # The first call compiles and imports, so it is never the measure; it only says how often we can afford more.
        long = time.process_time() - start > seconds
        took = cpu(partial(rival, work.x, work.y, work.q), 1 if long else 3)
        _, bank = ours("matern32", work, 1)
        right, spread = bank.predict(bank.ids, work.q)
        gap = max(float(np.abs(mean - right).max()), float(np.abs(std - spread).max()))
        if gap > AGREE[name]:
            raise SystemExit(f"{name} and lefi differ by {gap:.1e} at {clients} clients: nothing to compare")
        rows.append(_row(name, clients, rounds, took, gap))
    return rows


def _row(name: str, clients: int, rounds: int, took: float, gap: float | None = None) -> dict[str, Any]:
    differs = "" if gap is None else f"   differs by {gap:.0e}"
    print(f"  {name:18} {clients:>9,} clients {1e6 * took / clients:12.3f} us{differs}", flush=True)
    return {"name": name, "clients": clients, "rounds": rounds, "seconds": took}


def _ratios(rows: Rows, rounds: int) -> None:
    """Per client: each at its best fleet, and both at the same ones. GPyTorch's best is one that lives in the cache."""
    timings = [Timing.model_validate(row) for row in rows]
    iwp = min(per_client(timings, rounds, "lefi iwp").values())
    for name, ratio in ratios(timings, rounds).items():
        best = min(per_client(timings, rounds, name).values())
        equal = ", ".join(f"{times:,.0f} x at {clients:,}" for clients, times in ratio.equal.items())
        print(f"  {name:18} / lefi: {ratio.best:7,.0f} x (matern32), {best / iwp:7,.0f} x (iwp), best fleets", end="")
        print(f"; equal fleets (matern32): {equal} clients")


def hyper_contest(most: int, clients: int = 20) -> Rows:
    """A round with hyper-parameters learned anew: theirs by optimiser, ours by evidence, per fleet or per client."""
    use_threads(1)
    print("\nwith hyper-parameters learned in the round, 100 answers: microseconds of CPU per client")
    small = workload(clients, 100)
    sklearn_optimiser(small.x[:1], small.y[:1], small.q[:1])  # imports
    theirs = cpu(lambda: sklearn_optimiser(small.x, small.y, small.q), 3) / clients
    rows: Rows = [{"name": "scikit-learn", "clients": clients, "seconds": theirs}]
    print(f"  scikit-learn with its optimiser {1e6 * theirs:12,.0f} us")
    for n in (n for n in (4096, 100_000) if n <= most):
        work = workload(n, 100)
        bank = filled("matern32", work)

        def fleet(bank: Bank = bank, work: Workload = work) -> None:
            bank.refit(learn(bank))
            bank.predict(bank.ids, work.q)

        def each(bank: Bank = bank, work: Workload = work) -> None:
            learn_each(bank)
            bank.predict(bank.ids, work.q)

        for name, round in (("one set for the fleet", fleet), ("one set per client", each)):
            round()
            mine = cpu(round, 3) / n
            rows.append({"name": name, "clients": n, "seconds": mine})
            print(f"  lefi, {name:21} {n:>9,} clients {1e6 * mine:8.2f} us: {theirs / mine:9,.0f} x", flush=True)
    return rows


def linearity(most: int) -> dict[str, float]:
    """Exponents of time in clients and in answers; 1 is linear. Bytes per client."""
    use_threads(1)
    fleets = [n for n in (1000, 10_000, 100_000, 1_000_000) if n <= most]
    over_n = [ours("iwp", workload(n, 100), 1 if n > 100_000 else 3)[0] for n in fleets]
    lengths = [25, 50, 100, 200]
    over_t = [ours("iwp", workload(10_000, t), 3)[0] for t in lengths]
    _, bank = ours("iwp", workload(10_000, 100), 1)
    found = {
        "clients": float(np.polyfit(np.log(fleets), np.log(over_n), 1)[0]),
        "answers": float(np.polyfit(np.log(lengths), np.log(over_t), 1)[0]),
        "bytes per client": bank.nbytes / 10_000,
    }
    print(f"\niwp: time ~ clients^{found['clients']:.2f} answers^{found['answers']:.2f}", end="")
    print(f", {found['bytes per client']:.0f} bytes per client at 100 answers")
    return found
