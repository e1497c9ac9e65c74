"""Hypothesis profiles: deterministic where CI is set, few examples, since each draws a whole fleet."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("local", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
