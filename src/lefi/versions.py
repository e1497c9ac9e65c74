"""Which versions made a result: lefi's, Python's, and those of the packages that its numbers rest on."""

import platform
from functools import cache
from importlib.metadata import version

import lefi

PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "numba")


@cache  # every run tells them, and reading them takes as long as ten rounds
def versions() -> dict[str, str]:
    return {"lefi": lefi.__version__, "python": platform.python_version()} | {name: version(name) for name in PACKAGES}
