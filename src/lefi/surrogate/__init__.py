"""The bank of one-dimensional Gaussian processes, one per client."""

from lefi.surrogate.bank import Bank
from lefi.surrogate.evidence import learn, learn_each
from lefi.surrogate.kernels import KERNELS, Hyper

__all__ = ["KERNELS", "Bank", "Hyper", "learn", "learn_each"]
