"""One row of the sweep: filter the next element of every lane, carry the fixed points, weigh the evidence."""

import lefi.surrogate.layout as at
from lefi.surrogate.engine import branched, inlined, where
from lefi.surrogate.formulas import (
    condition,
    iwp_noise,
    iwp_predict,
    m32_noise,
    m32_predict,
    m32_push,
    m52_noise,
    m52_push,
)
from lefi.surrogate.stream import IWP, MATERN32, MATERN52


@inlined
def decay(s, k, kf):
    """XR becomes u = lam h, EU = exp(-u) = 2^n exp(f); adding 1.5 * 2^52 rounds to n, which stays in the low bits."""
    for l in range(at.WIDTH):
        u = s[at.SCALE + l] * s[at.XR + l]
        u = where(u < 700.0, u, 700.0)
        s[at.XR + l] = u
        kf[l] = 6755399441055744.0 - 1.4426950408889634 * u
    for l in range(at.WIDTH):
        n = kf[l] - 6755399441055744.0
        f = (-s[at.XR + l] - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
        g = 1 / 40320 + f * (
            1 / 362880 + f * (1 / 3628800 + f * (1 / 39916800 + f * (1 / 479001600 + f * (1 / 6227020800))))
        )
        g = 1 / 24 + f * (1 / 120 + f * (1 / 720 + f * (1 / 5040 + f * g)))
        s[at.EU + l] = 1.0 + f * (1.0 + f * (0.5 + f * (1 / 6 + f * g)))
    for l in range(at.WIDTH):
        k[l] = (k[l] + 1023) << 52
    for l in range(at.WIDTH):
        s[at.EU + l] = s[at.EU + l] * kf[l]


@inlined
def fix(s, l, q, kernel, hit, u, e, gain, state):
    """Move a fixed point over the gap and through the update.

    Where the element is the query itself the update moved nothing: `state` is the prediction. Back come the covariance
    with f before the update, and with f and f' after it.
    """
    m0, m1, P00, P01, P11, P02, P12 = state
    ws, es, rs, k1, k2 = gain
    slope = s[q + at.SL + l] > 0.5
    c0, c1 = s[q + at.C0 + l], s[q + at.C1 + l]
    if kernel == IWP:
        c0 = c0 + u * c1
    elif kernel == MATERN32:
        c0, c1 = m32_push(u, e, c0, c1)
    else:
        c0, c1, c2 = m52_push(u, e, c0, c1, s[q + at.C2 + l])
        s[q + at.C2 + l] = where(hit, where(slope, P12, P02), c2 - k2 * c0)
    f, v = s[q + at.QF + l] + c0 * es, s[q + at.QV + l] - c0 * c0 * ws
    s[q + at.QF + l] = where(hit, where(slope, m1, m0), f)
    s[q + at.QV + l] = where(hit, where(slope, P11, P00), v)
    d0 = where(hit, where(slope, P01, P00), c0 * rs)
    d1 = where(hit, where(slope, P11, P01), c1 - k1 * c0)
    s[q + at.C0 + l] = d0
    s[q + at.C1 + l] = d1
    return c0, d0, d1


@inlined
def pair(s, l, ab, hit, slope, before, after, other, ws):
    """Covariance of the fixed points a <= b: known when the query b comes up, as that of a with the state."""
    d0, d1 = after
    s[ab + l] = where(hit, where(slope, d1, d0), s[ab + l] - before * other * ws)


@inlined
def predict(s, l, kernel, u, e):
    """Mean and covariance of the state over the gap."""
    m0, m1, P00, P01, P11 = s[at.M0 + l], s[at.M1 + l], s[at.P00 + l], s[at.P01 + l], s[at.P11 + l]
    if kernel == IWP:
        Q00, Q01, Q11 = iwp_noise(u, s[at.SCALE + l])
        p00, p01, p11 = iwp_predict(P00, P01, P11, u, Q00, Q01, Q11)
        return m0 + u * m1, m1, 0.0, p00, p01, 0.0, p11, 0.0, 0.0
    if kernel == MATERN32:
        Q00, Q01, Q11 = m32_noise(u, e)
        p00, p01, p11 = m32_predict(P00, P01, P11, u, e, Q00, Q01, Q11)
        n0, n1 = m32_push(u, e, m0, m1)
        return n0, n1, 0.0, p00, p01, 0.0, p11, 0.0, 0.0
    m2, P02, P12, P22 = s[at.M2 + l], s[at.P02 + l], s[at.P12 + l], s[at.P22 + l]
    n0, n1, n2 = m52_push(u, e, m0, m1, m2)
    Q00, Q01, Q02, Q11, Q12, Q22 = m52_noise(u, e)
    # A P column by column, then (A P) A' row by row.
    a0, b0, c0 = m52_push(u, e, P00, P01, P02)
    a1, b1, c1 = m52_push(u, e, P01, P11, P12)
    a2, b2, c2 = m52_push(u, e, P02, P12, P22)
    p00, p01, p02 = m52_push(u, e, a0, a1, a2)
    _, p11, p12 = m52_push(u, e, b0, b1, b2)
    _, _, p22 = m52_push(u, e, c0, c1, c2)
    return n0, n1, n2, p00 + Q00, p01 + Q01, p02 + Q02, p11 + Q11, p12 + Q12, p22 + Q22


@inlined
def update(s, kernel, live, weighted):
    """Filter the element and carry the fixed points that are live."""
    for l in range(at.WIDTH):
        u, e, y = s[at.XR + l], s[at.EU + l], s[at.YR + l]
        r = s[at.RR + l] if weighted else s[at.NOISE + l]
        none = y > at.SOME
        r = where(none, at.DEAF, r)
        n0, n1, n2, p00, p01, p02, p11, p12, p22 = predict(s, l, kernel, u, e)
        ws, es, rs = condition(p00, n0, y, r)
        k1, k2 = p01 * ws, p02 * ws
        m0, m1, P00, P01, P11 = n0 + p00 * es, n1 + p01 * es, p00 * rs, p01 * rs, p11 - p01 * k1
        P02, P12 = p02 * rs, p12 - p01 * k2
        s[at.M0 + l] = m0
        s[at.M1 + l] = m1
        s[at.P00 + l] = P00
        s[at.P01 + l] = P01
        s[at.P11 + l] = P11
        if kernel == MATERN52:
            s[at.M2 + l] = n2 + p02 * es
            s[at.P02 + l] = P02
            s[at.P12 + l] = P12
            s[at.P22 + l] = p22 - p02 * k2
        s[at.QUAD + l] = s[at.QUAD + l] + (y - n0) * es
        s[at.PROD + l] = s[at.PROD + l] * rs
        if live > 0:
            carry(s, l, kernel, live, none, u, e, (ws, es, rs, k1, k2), (m0, m1, P00, P01, P11, P02, P12))


@inlined
def carry(s, l, kernel, live, none, u, e, gain, state):
    """The fixed points that are live, and their covariances."""
    x = s[at.XP + l]
    a, a0, a1 = fix(s, l, at.QA, kernel, none & (x == s[at.QA + at.QX + l]), u, e, gain, state)
    if live > 1:
        hit, slope = none & (x == s[at.QB + at.QX + l]), s[at.QB + at.SL + l] > 0.5
        b, b0, b1 = fix(s, l, at.QB, kernel, hit, u, e, gain, state)
        pair(s, l, at.AB, hit, slope, a, (a0, a1), b, gain[0])
        if live > 2:
            hit, slope = none & (x == s[at.QC + at.QX + l]), s[at.QC + at.SL + l] > 0.5
            c, _, _ = fix(s, l, at.QC, kernel, hit, u, e, gain, state)
            pair(s, l, at.AC, hit, slope, a, (a0, a1), c, gain[0])
            pair(s, l, at.BC, hit, slope, b, (b0, b1), c, gain[0])


@branched
def advance(s, kernel, live, weighted):
    """`update` with constants, so that the compiler specialises it."""
    if live == 0:
        update(s, kernel, 0, weighted)
    elif live == 1:
        update(s, kernel, 1, weighted)
    elif live == 2:
        update(s, kernel, 2, weighted)
    else:
        update(s, kernel, 3, weighted)


@branched
def step(s, k, kf, kernel, live, weighted):
    if kernel == IWP:
        advance(s, IWP, live, weighted)
    elif kernel == MATERN32:
        decay(s, k, kf)
        advance(s, MATERN32, live, weighted)
    else:
        decay(s, k, kf)
        advance(s, MATERN52, live, weighted)
