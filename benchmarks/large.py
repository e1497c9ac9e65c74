"""Large fleets against what memory allows: a copy of the bytes that a round moves, and the peak of its own process."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any, ParamSpec, TypeVar

import numpy as np

import lefi
from benchmarks.contest import cpu, ours, use_threads
from benchmarks.workload import Workload, filled, workload
from lefi.mechanisms.lefi.mechanism import Lefi
from lefi.surrogate import Bank

KERNELS = ("iwp", "matern32", "matern52")
WHOLE = "matern52"  # the kernel of the mechanism `lefi`
P = ParamSpec("P")
R = TypeVar("R")


def alone(measure: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    """Measure in a fresh process, so that the peak of memory is its own and not that of the rivals before it."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *given, **named).result()


def peak() -> float:
    """Most memory that this process has held, in GB. Not by getrusage: that counts the parent before exec."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmHWM"].split()[0]) / 1e6


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
    for kernel in KERNELS:
        took, bank = ours(kernel, work, 3)
        floor = cpu(copy(bank, 1), 5)
        found[kernel] = took / floor
        print(f"\n{kernel}, {clients:,} clients, 100 answers, 1 thread: {took:.3f} s = {took / floor:.1f} x a copy")
    return found


def million(clients: int, kernel: str) -> dict[str, float]:
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
    told = f"\n{kernel}, {clients:,} clients, 100 answers, {threads} threads, wall: {took:.3f} s = {took / floor:.1f} x"
    print(
        f"{told} a copy ({floor:.3f} s), {bank.nbytes / clients:.0f} bytes per client, peak {peak():.1f} GB", flush=True
    )
    return {"seconds": took, "copies": took / floor, "bytes": bank.nbytes / clients, "peak": peak()}


def whole_round(clients: int, step: float) -> dict[str, float]:
    """All threads, wall time: a round of `lefi` (ask, answers, settle, tell) against the bank step of that many s."""
    use_threads(len(os.sched_getaffinity(0)))
    market = lefi.scenario("paper", clients=clients)
    mechanism = lefi.make("lefi", market.terms, kernel=WHOLE)
    assert isinstance(mechanism, Lefi)
    times, last = [], 0.0
    for receipt in lefi.play(mechanism, market, 8):
        if receipt.round == 3:  # from here on as if there had been 92 rounds before
            work = workload(clients, 92)
            mechanism.bank = filled(WHOLE, work)
            del work
        if receipt.round > 5:
            times.append(time.perf_counter() - last)
        last = time.perf_counter()
    took = float(np.median(times))
    told = f"\nlefi with {WHOLE}, whole round, {clients:,} clients: {took:.3f} s = {took / step:.1f} x the bank step"
    print(f"{told}, peak {peak():.1f} GB", flush=True)
    return {"seconds": took, "steps": took / step, "peak": peak()}
