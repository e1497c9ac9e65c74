"""What a test registers is gone after it."""

import pytest

from lefi import registry
from lefi.game.policies import POLICIES
from lefi.mechanisms.catalogue import MECHANISMS, WRAPPERS
from lefi.models.accuracy import ACCURACIES
from lefi.models.cost import COSTS
from lefi.payments import OFFERS
from lefi.world.behaviours.named import BEHAVIOURS
from lefi.world.scenarios import SCENARIOS


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    for known in (MECHANISMS, WRAPPERS, SCENARIOS, BEHAVIOURS, OFFERS, ACCURACIES, COSTS, POLICIES):
        monkeypatch.setattr(known, "things", dict(known.things))
        monkeypatch.setattr(known, "origins", dict(known.origins))
    monkeypatch.setattr(registry, "_modules", {})
