"""Which versions made a result: lefi's, Python's, and those of the packages that its numbers rest on."""

import platform
from importlib.metadata import version

import lefi

PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "numba")


def versions() -> dict[str, str]:
    return {"lefi": lefi.__version__, "python": platform.python_version()} | {name: version(name) for name in PACKAGES}
