"""The measurements, each printed as it is made. Times are CPU time of one thread unless said otherwise."""

import os
import resource
import time
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

import numpy as np

import lefi
from benchmarks.rivals import Rival, gpytorch_batched, sklearn_fixed, sklearn_optimiser, tinygp_vmap
from benchmarks.workload import Workload, filled, workload
from lefi.mechanisms.lefi import Lefi
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
    """Per client, rival at its best fleet against ours at ours, same kernel."""

    def best(name: str) -> float:
        found = [r["seconds"] / r["clients"] for r in rows if r["name"] == name and r["rounds"] == rounds]
        return min(found, default=float("nan"))

    for name in ("scikit-learn", "GPyTorch", "tinygp"):
        same, iwp = best(name) / best("lefi matern32"), best(name) / best("lefi iwp")
        print(f"  {name:18} / lefi: {same:9,.0f} x (matern32), {iwp:9,.0f} x (iwp)")


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


def copy(bank: Bank, threads: int) -> Callable[[], None]:
    """Copy what a round must read and write back: all inputs and answers."""
    pairs = [(a, np.empty_like(a)) for a in (bank.history.x, bank.history.y)]
    parts = np.array_split(np.arange(bank.history.blocks), threads)

    def part(which: Any) -> None:
        for source, target in pairs:
            np.copyto(target[which[0] : which[-1] + 1], source[which[0] : which[-1] + 1])

    def run() -> None:
        workers = [Thread(target=part, args=(which,)) for which in parts]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    run()
    return run


def copy_floor(clients: int) -> dict[str, float]:
    """One thread: a round against a copy of the bytes it moves."""
    use_threads(1)
    work = workload(clients, 100)
    found: dict[str, float] = {}
    for kernel in ("iwp", "matern32", "matern52"):
        took, bank = ours(kernel, work, 3)
        floor = cpu(copy(bank, 1), 5)
        found[kernel] = took / floor
        print(f"\n{kernel}, {clients:,} clients, 100 answers, 1 thread: {took:.3f} s = {took / floor:.1f} x a copy")
    return found


def million(clients: int, kernel: str = "iwp") -> dict[str, float]:
    """All threads, wall time: the bank step for the whole fleet, against a copy by as many threads."""
    threads = len(os.sched_getaffinity(0))
    use_threads(threads)
    work = workload(clients, 100)
    bank = filled(kernel, Workload(work.x[:, :-4], work.y[:, :-4]))
    ids = bank.ids
    ids.flags.writeable = False
    times, floors = [], []
    for t in (-4, -3, -2, -1):
        x, q = work.x[:, t], np.stack([work.x[:, t], work.x[:, t] + 0.05], axis=1)
        start = time.perf_counter()
        bank.observe(ids, x, work.y[:, t])
        bank.predict(ids, q)
        times.append(time.perf_counter() - start)
    run = copy(bank, threads)
    for _ in range(3):
        start = time.perf_counter()
        run()
        floors.append(time.perf_counter() - start)
    took, floor = float(np.median(times[1:])), float(np.median(floors))  # the first step is a warm-up
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"\n{kernel}, {clients:,} clients, 100 answers, {threads} threads, wall: "
        f"{took:.3f} s = {took / floor:.1f} x a copy"
    )
    print(f"({floor:.3f} s), {bank.nbytes / clients:.0f} bytes per client, peak of this whole run {peak:.1f} GB")
    return {"seconds": took, "copies": took / floor, "bytes": bank.nbytes / clients, "peak": peak}


def whole_round(clients: int, kernel: str = "matern52") -> dict[str, float]:
    """All threads, wall time: a round of the mechanism `lefi` (ask, answers, settle, tell) against the bank step."""
    use_threads(len(os.sched_getaffinity(0)))
    step = million(clients, kernel)["seconds"]
    market = lefi.scenario("paper", clients=clients)
    mechanism = lefi.make("lefi", market.terms, kernel=kernel)
    assert isinstance(mechanism, Lefi)
    times, last = [], 0.0
    for receipt in lefi.play(mechanism, market, 8):
        if receipt.round == 3:  # from here on as if there had been 92 rounds before
            work = workload(clients, 92)
            mechanism.bank = filled(kernel, work)
            del work
        if receipt.round > 5:
            times.append(time.perf_counter() - last)
        last = time.perf_counter()
    took = float(np.median(times))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"lefi with {kernel}, whole round, {clients:,} clients: {took:.3f} s = {took / step:.1f} x the bank step",
        end="",
    )
    print(f", peak of this whole run {peak:.1f} GB")
    return {"seconds": took, "steps": took / step, "peak": peak}
