"""Hypothesis profiles: deterministic where CI is set, few examples, since each draws a whole fleet."""

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.databases.fixtures"]

# Many small matrices: threads of the linear algebra only wait for each other, and for those of the other workers.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("local", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
