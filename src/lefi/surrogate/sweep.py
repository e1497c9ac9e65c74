"""The sweep: one pass over the sorted observations of every client, LANES clients in step, in O(t) per client.

It slips the pending observation into its place, filters, carries up to three fixed points (the queries) with their
joint covariance, and adds up the evidence. Exact: no stored factor, so hyper-parameters may change at any time.

X, Y, W      (blocks, slots, LANES)  increasing inputs, observations, weights (noise / weight); empty: BIG, NONE
count, px, py   (rows,)  observations stored; the pending one, px = BIG for none, taken over into X, Y where `fresh`
scale, noise, centre (rows,)  rho or lam, and noise, in units of the signal variance; prior mean
Q, slope     (queries, rows), (3,)  increasing inputs; 1 where the derivative of the state is asked for, else 0
F            (queries, rows)  posterior means
C            (6, rows)  variances and covariances of the queries, in the order 00 11 22 01 02 12
G            (2, rows)  sum of innovation^2 / S, sum of log S - log noise
blocks       the blocks to sweep
"""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import lefi.surrogate.layout as at
from lefi.arrays import IntArray
from lefi.compiler import NUMBA
from lefi.surrogate.engine import THREADED, branched, compiled, inlined
from lefi.surrogate.filters import step
from lefi.surrogate.stream import STRIDE, begin, comes, coming, feed, longest, place
from lefi.threads import threads

PARTS = 16  # per thread, so that an uneven load evens out
CHUNK = 64  # blocks that numpy takes at a time: small enough for the cache


@branched
def start(s, kernel, a, px, py, scale, noise, centre, Q, slope):
    """Prior state and queries of the block whose first client is a."""
    z = a + at.LANES
    begin(s, kernel, px[a:z], py[a:z], scale[a:z], noise[a:z], centre[a:z])
    if Q.shape[0] > 0:
        place(s, at.QA, Q[0, a:z], slope[0])
    if Q.shape[0] > 1:
        place(s, at.QB, Q[1, a:z], slope[1])
    if Q.shape[0] > 2:
        place(s, at.QC, Q[2, a:z], slope[2])


@inlined
def flush(s):
    """Take the logarithm of the products before they vanish."""
    least = 1.0
    for l in range(at.WIDTH):
        least = min(least, s[at.PROD + l])
    if least < 1e-90:
        for l in range(at.WIDTH):
            s[at.LOGS + l] -= math.log(s[at.PROD + l])
            s[at.PROD + l] = 1.0


@inlined
def finish(s, a, nq, F, C, G):
    for l in range(at.LANES):
        i = a + l
        if nq > 0:
            F[0, i], C[0, i] = s[at.QA + at.QF + l], s[at.QA + at.QV + l]
        if nq > 1:
            F[1, i], C[1, i] = s[at.QB + at.QF + l], s[at.QB + at.QV + l]
            C[3, i] = s[at.AB + l]
        if nq > 2:
            F[2, i], C[2, i] = s[at.QC + at.QF + l], s[at.QC + at.QV + l]
            C[4, i], C[5, i] = s[at.AC + l], s[at.BC + l]
        G[0, i], G[1, i] = s[at.QUAD + l], s[at.LOGS + l] - math.log(s[at.PROD + l])


def build(kernel: int, weighted: bool) -> Any:
    """The sweep of a kernel, with or without weights.

    Named, so that each has a cache of its own: processes that compile two of them at once would mix them up in a
    common one.
    """

    def sweep(fresh, X, Y, W, count, px, py, scale, noise, centre, Q, slope, F, C, G, blocks):
        nq = Q.shape[0]
        loose, k = np.zeros(at.SCRATCH + 8), np.zeros(at.LANES, np.int64)
        offset = (-(loose.ctypes.data // 8)) % 8  # a vector that crosses a cache line costs twice
        s, kf = loose[offset : offset + at.SCRATCH], k.view(np.float64)
        for b in blocks:
            start(s, kernel, b * at.LANES, px, py, scale, noise, centre, Q, slope)
            Xb, Yb, Wb = X[b], Y[b], W[b if weighted else 0]
            rows = longest(count, b * at.LANES) + (1 if fresh else 0)
            live, moving = 0, False
            for t in range(rows + nq):
                if t % STRIDE == 0:
                    live = coming(s, Xb, t, rows, nq, live)
                    moving = moving or (fresh and comes(s, Xb, t, rows, at.HX))
                    flush(s)
                feed(s, Xb, Yb, Wb, t, rows, moving, live, weighted)
                step(s, k, kf, kernel, live, weighted)
            finish(s, b * at.LANES, nq, F, C, G)

    sweep.__qualname__ = f"sweep_{kernel}{weighted:d}"
    return compiled(sweep)


KINDS = [(k, weighted) for k in range(3) for weighted in (False, True)]
COMPILED = {kind: build(*kind) for kind in KINDS} if NUMBA else {}


def run(kernel: int, fresh: bool, X: Any, Y: Any, W: Any, count: IntArray, *rest: Any) -> None:
    """Sweep with the engine that is there, on one thread or, where it pays, on all: compiled code needs no lock."""
    *_, blocks = rest
    kind = (kernel, W.size > at.LANES)

    def part(some: IntArray) -> None:
        if NUMBA:
            COMPILED[kind](fresh, X, Y, W, count, *rest[:-1], some)
        else:
            sweep_arrays(kind, fresh, X, Y, W, count, *rest[:-1], some)  # type: ignore[call-arg]

    workers = threads() if NUMBA and blocks.size * X.shape[1] * at.LANES >= THREADED else 1
    parts = PARTS * workers if workers > 1 else 1 if NUMBA else -(-blocks.size // CHUNK)
    if parts <= 1:
        part(blocks)
    elif workers == 1:
        for some in np.array_split(blocks, parts):
            part(some)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(part, np.array_split(blocks, parts)))


def sweep_arrays(kind, fresh, X, Y, W, count, px, py, scale, noise, centre, Q, slope, F, C, G, blocks):
    """The sweep in numpy: one lane that is an array of clients."""
    kernel, weighted = kind
    clients = (blocks[:, None] * at.LANES + np.arange(at.LANES)).ravel()
    n, nq = clients.size, Q.shape[0]
    rows = int(count[clients].max(initial=0)) + (1 if fresh else 0)
    x, y, w = (np.swapaxes(a[blocks, :rows], 0, 1).reshape(rows, 1, n) for a in (X, Y, W if weighted else Y))
    s, k = np.zeros((at.SCRATCH, n)), np.zeros((1, n), np.int64)
    begin(s, kernel, *(a[None, clients] for a in (px, py, scale, noise, centre)))
    places, pairs = (at.QA, at.QB, at.QC), (at.AB, at.AC, at.BC)
    for j in range(nq):
        place(s, places[j], Q[j][None, clients], slope[j])
    for t in range(rows + nq):
        feed(s, x, y, w, t, rows, fresh, nq, weighted)
        with np.errstate(under="ignore"):
            step(s, k, k.view(np.float64), kernel, nq, weighted)
        s[at.LOGS] -= np.log(s[at.PROD])
        s[at.PROD] = 1.0
    for j in range(nq):
        F[j, clients], C[j, clients], C[3 + j, clients] = s[places[j] + at.QF], s[places[j] + at.QV], s[pairs[j]]
    G[0, clients], G[1, clients] = s[at.QUAD], s[at.LOGS]
    if fresh:
        for a, new in ((X, x), (Y, y), (W, w))[: 3 if weighted else 2]:
            a[blocks, :rows] = np.swapaxes(new.reshape(rows, blocks.size, at.LANES), 0, 1)
