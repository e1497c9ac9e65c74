"""The stream: the inputs of LANES clients in increasing order, one element of each lane at a time.

Its elements are the stored observations, the pending observation slipped in where it belongs, and the queries, which
are observations of no weight (y = NONE, noise DEAF). A lane that has run out goes on with x = BIG, y = NONE.
"""

import numpy as np

import lefi.surrogate.layout as at
from lefi.surrogate.engine import branched, inlined, where

IWP, MATERN32, MATERN52 = 0, 1, 2
STRIDE = 4  # rows between two looks at what comes up


@inlined
def begin(s, kernel, px, py, scale, noise, centre):
    """Prior state of a block; the process iwp starts at input 0, the others anywhere."""
    for l in range(at.WIDTH):
        s[at.XP + l] = 0.0 if kernel == IWP else np.nan
        s[at.M0 + l] = 0.0
        s[at.M1 + l] = 0.0
        s[at.M2 + l] = 0.0
        s[at.P00 + l] = 1.0
        s[at.P01 + l] = 0.0
        s[at.P11 + l] = 1.0 if kernel != MATERN52 else 1 / 3
        s[at.P02 + l] = -1 / 3
        s[at.P12 + l] = 0.0
        s[at.P22 + l] = 1.0
        s[at.SCALE + l] = scale[l]
        s[at.NOISE + l] = noise[l]
        s[at.CENTRE + l] = centre[l]
        s[at.HX + l] = px[l]
        s[at.HY + l] = py[l]
        s[at.HW + l] = 1.0
        s[at.QUAD + l] = 0.0
        s[at.PROD + l] = 1.0
        s[at.LOGS + l] = 0.0
        s[at.EU + l] = 1.0
        s[at.AB + l] = 0.0
        s[at.AC + l] = 0.0
        s[at.BC + l] = 0.0


@inlined
def place(s, q, x, slope):
    """Put the fixed point at its query."""
    for l in range(at.WIDTH):
        s[q + at.QX + l] = x[l]
        s[q + at.WX + l] = x[l]
        s[q + at.WY + l] = at.NONE
        s[q + at.WR + l] = at.DEAF
        s[q + at.SL + l] = slope
        s[q + at.QF + l] = 0.0
        s[q + at.QV + l] = 0.0
        s[q + at.C0 + l] = 0.0
        s[q + at.C1 + l] = 0.0
        s[q + at.C2 + l] = 0.0


@inlined
def longest(count, base):
    """Observations of the lane that has most."""
    n = 0
    for l in range(at.LANES):
        n = max(n, count[base + l])
    return n


@inlined
def comes(s, X, t, rows, place):
    """Whether the input noted at `place` may come up before row t + STRIDE in any lane."""
    if t + STRIDE >= rows:
        return True
    some = 0
    for l in range(at.LANES):
        some += 1 if X[t + STRIDE, l] > s[place + l] else 0
    return some > 0


@branched
def coming(s, X, t, rows, nq, live):
    """How many queries have come up, or may before the next look; they come in order."""
    if live == 0 and nq > 0 and comes(s, X, t, rows, at.QA + at.QX):
        live = 1
    if live == 1 and nq > 1 and comes(s, X, t, rows, at.QB + at.QX):
        live = 2
    if live == 2 and nq > 2 and comes(s, X, t, rows, at.QC + at.QX):
        live = 3
    return live


@inlined
def slip(s, l, q, x, y, r, weighted):
    """The lesser of the element and the one that waits at the fixed point q; the other waits on. Ties: data first."""
    hx, hy, hr = s[q + at.WX + l], s[q + at.WY + l], s[q + at.WR + l]
    first = hx < x
    less, less_y = where(first, hx, x), where(first, hy, y)
    s[q + at.WX + l] = where(first, x, hx)
    s[q + at.WY + l] = where(first, y, hy)
    if weighted:
        less_r = where(first, hr, r)
        s[q + at.WR + l] = where(first, r, hr)
        r = less_r
    return less, less_y, r


@inlined
def take(s, l, X, Y, W, t, x, y, w, weighted):
    """The lesser of the stored and the new observation, written back; the other waits on."""
    hx, hy, hw = s[at.HX + l], s[at.HY + l], s[at.HW + l]
    first = hx < x
    less, less_y = where(first, hx, x), where(first, hy, y)
    s[at.HX + l] = where(first, x, hx)
    s[at.HY + l] = where(first, y, hy)
    X[t, l] = less
    Y[t, l] = less_y
    if weighted:
        less_w = where(first, hw, w)
        s[at.HW + l] = where(first, w, hw)
        W[t, l] = less_w
        w = less_w
    return less, less_y, w


@inlined
def element(s, X, Y, W, t, fresh, live, drained, weighted):
    """Next element of every lane: its gap to XR, y to YR, noise to RR; shifted rows are written back where fresh."""
    for l in range(at.WIDTH):
        r = s[at.NOISE + l]
        x, y = r * 0.0 + at.BIG, r * 0.0 + at.NONE
        if not drained:
            x, y, w = X[t, l], Y[t, l], W[t, l] if weighted else 1.0
            if fresh:
                x, y, w = take(s, l, X, Y, W, t, x, y, w, weighted)
            y = y - s[at.CENTRE + l]
            r = r / w if weighted else r
        if live > 0:
            x, y, r = slip(s, l, at.QA, x, y, r, weighted)
        if live > 1:
            x, y, r = slip(s, l, at.QB, x, y, r, weighted)
        if live > 2:
            x, y, r = slip(s, l, at.QC, x, y, r, weighted)
        h = x - s[at.XP + l]
        s[at.XP + l] = x
        s[at.XR + l] = where(h < at.FINITE, h, 0.0)  # no gap after the end, nor (XP NaN) before the first input
        s[at.YR + l] = y
        if weighted:
            s[at.RR + l] = r


@branched
def feed(s, X, Y, W, t, rows, fresh, live, weighted):
    """`element` with constants, so that the compiler specialises it."""
    if t >= rows:
        if live == 1:
            element(s, X, Y, W, t, False, 1, True, weighted)
        elif live == 2:
            element(s, X, Y, W, t, False, 2, True, weighted)
        else:
            element(s, X, Y, W, t, False, 3, True, weighted)
    elif fresh and live == 0:
        element(s, X, Y, W, t, True, 0, False, weighted)
    elif fresh and live == 1:
        element(s, X, Y, W, t, True, 1, False, weighted)
    elif fresh and live == 2:
        element(s, X, Y, W, t, True, 2, False, weighted)
    elif fresh:
        element(s, X, Y, W, t, True, 3, False, weighted)
    elif live == 0:
        element(s, X, Y, W, t, False, 0, False, weighted)
    elif live == 1:
        element(s, X, Y, W, t, False, 1, False, weighted)
    elif live == 2:
        element(s, X, Y, W, t, False, 2, False, weighted)
    else:
        element(s, X, Y, W, t, False, 3, False, weighted)
