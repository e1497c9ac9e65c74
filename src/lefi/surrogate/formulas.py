"""The processes in state-space form: formulas that hold for one client (compiled) and for arrays of clients (numpy).

All in units of the signal variance. u = lam h, the gap h between neighbouring inputs in units of the kernel.
state  iwp: (f, f')          matern32: (f, f'/lam)          matern52: (f, f'/lam, f''/lam^2)
A      transition over a gap       Q   what the process forgets over it
m, P   filtered state, n, p predicted state, mean and covariance
v = 2u, E = exp(-v); P(k, v) = E sum_{i >= k} v^i / i!, the regularised lower gamma function.
"""

import math

from lefi.surrogate.engine import inlined, where

THIRD = 1 / 3
SMALL = 0.5  # below this v the closed form of P(k, v) cancels: take the series
_TAIL3 = [math.factorial(3) / math.factorial(3 + k) for k in range(12)]
_TAIL5 = [math.factorial(5) / math.factorial(5 + k) for k in range(12)]
(_A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8, _A9, _A10, _A11) = _TAIL3[1:]
(_B1, _B2, _B3, _B4, _B5, _B6, _B7, _B8, _B9, _B10, _B11) = _TAIL5[1:]


@inlined
def condition(p00, n0, y, r):
    """One over the innovation's variance, the innovation over it, and the share of the prior variance that stays."""
    w = 1.0 / (p00 + r)
    return w, (y - n0) * w, r * w


@inlined
def iwp_noise(h, rho):
    """Q of the integrated Wiener process of diffusion rho."""
    q = rho * h
    return q * h * h * THIRD, 0.5 * q * h, q


@inlined
def iwp_predict(P00, P01, P11, h, Q00, Q01, Q11):
    """A P A' + Q with A = [[1, h], [0, 1]]."""
    t = P01 + h * P11
    return P00 + h * (P01 + t) + Q00, t + Q01, P11 + Q11


@inlined
def gamma3(v, E):
    """P(3, v)"""
    s = _A5 + v * (_A6 + v * (_A7 + v * (_A8 + v * (_A9 + v * (_A10 + v * _A11)))))
    s = 1.0 + v * (_A1 + v * (_A2 + v * (_A3 + v * (_A4 + v * s))))
    return where(v < SMALL, E * v * v * v * s * (1 / 6), 1.0 - E * (1.0 + v * (1.0 + 0.5 * v)))


@inlined
def gamma5(v, E):
    """P(5, v)"""
    s = _B5 + v * (_B6 + v * (_B7 + v * (_B8 + v * (_B9 + v * (_B10 + v * _B11)))))
    s = 1.0 + v * (_B1 + v * (_B2 + v * (_B3 + v * (_B4 + v * s))))
    closed = 1.0 - E * (1.0 + v * (1.0 + v * (0.5 + v * (1 / 6 + v * (1 / 24)))))
    return where(v < SMALL, E * v * v * v * v * v * s * (1 / 120), closed)


@inlined
def m32_noise(u, e):
    """Q of Matern-3/2, e = exp(-u); no term cancels another."""
    v = 2.0 * u
    E = e * e
    g = gamma3(v, E)
    return g, 0.5 * v * v * E, g + 2.0 * v * E


@inlined
def m32_push(u, e, c0, c1):
    """A c"""
    b = e * u
    return (e + b) * c0 + b * c1, (e - b) * c1 - b * c0


@inlined
def m32_predict(P00, P01, P11, u, e, Q00, Q01, Q11):
    """A P A' + Q"""
    b = e * u
    a = e + b
    d = e - b
    t0 = a * P00 + b * P01
    t1 = a * P01 + b * P11
    t3 = d * P11 - b * P01
    t2 = d * P01 - b * P00
    return a * t0 + b * t1 + Q00, d * t1 - b * t0 + Q01, d * t3 - b * t2 + Q11


@inlined
def m52_noise(u, e):
    """Q of Matern-5/2 from g_k = int_0^u s^k exp(-2s) ds, recurred downwards so that all terms are positive."""
    E = e * e
    u2 = u * u
    g4 = 0.75 * gamma5(2.0 * u, E)
    g3 = (2.0 * g4 + E * u2 * u2) * 0.25
    g2 = (2.0 * g3 + E * u2 * u) * THIRD
    g1 = (2.0 * g2 + E * u2) * 0.5
    g0 = 2.0 * g1 + E * u
    g4 = 0.25 * g4
    k = 16 / 3
    return (
        k * g4,
        k * (0.5 * g3 - g4),
        k * (0.5 * g2 - g3 + g4),
        k * (g2 - g3 + g4),
        k * (g1 - 2.5 * g2 + 1.5 * g3 - g4),
        k * (g0 - 4.0 * g1 + 5.0 * g2 - 2.0 * g3 + g4),
    )


@inlined
def m52_push(u, e, c0, c1, c2):
    """A c"""
    w = u * u
    half = 0.5 * w
    return (
        e * ((1.0 + u + half) * c0 + (u + w) * c1 + half * c2),
        e * ((1.0 + u - w) * c1 - half * c0 + (u - half) * c2),
        e * ((half - u) * c0 + (w - 3.0 * u) * c1 + (1.0 - 2.0 * u + half) * c2),
    )
