"""What a test registers is gone after it."""

import pytest

from lefi.mechanisms import registry
from lefi.studies.plan import plugins


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    monkeypatch.setattr(plugins, "_loaded", {})
