"""Places in the scratch of a block of clients, and the values that stand for nothing.

The scratch is one flat array: row k of lane l at s[k + l]. Rows have fixed places, so that the compiler can see that
they do not overlap and turns the loops over lanes into vector instructions. Without a compiler a lane is an array of
clients instead: one lane, row k at s[k], and the same code.
"""

from lefi.compiler import NUMBA

LANES = 32  # clients of a block
WIDTH = LANES if NUMBA else 1
PITCH = LANES + 8 if NUMBA else 1  # rows 32 apart would hit the same lines of the cache
BIG, FINITE = 1e38, 1e37  # an input that stands for none; float32 can hold it
NONE, SOME = 1e30, 1e29  # an observation that stands for none
DEAF = 1e300  # the noise of such an observation: it moves nothing

# The stream: previous x; gap, y and noise of the element; the new observation that waits for its place; prior mean.
XP, XR, YR, RR, HX, HY, HW, CENTRE = (PITCH * k for k in range(8))
# Filtered mean and covariance; hyper-parameters (scale is rho or lam); evidence; exp(-u).
M0, M1, M2, P00, P01, P02, P11, P12, P22, SCALE, NOISE, QUAD, PROD, LOGS, EU = (PITCH * k for k in range(8, 23))
# A fixed point: x; mean, variance, covariance with the running state; waiting element; whether it is a slope.
QX, QF, QV, C0, C1, C2, WX, WY, WR, SL = (PITCH * k for k in range(10))
QA, QB, QC = 23 * PITCH, 33 * PITCH, 43 * PITCH
# Covariance of two fixed points.
AB, AC, BC = 53 * PITCH, 54 * PITCH, 55 * PITCH
SCRATCH = 56 * PITCH
