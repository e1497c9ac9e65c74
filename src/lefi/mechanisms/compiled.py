"""The compiler of the mechanisms' kernels."""

from lefi.compiler import compiler

compiled = compiler()
