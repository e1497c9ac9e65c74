"""Pay the clients of a real Flower job (extra `flower`)."""

from lefi.errors import LefiError

try:
    from lefi.flower.checkpoints import Checkpoints
    from lefi.flower.client_app import Client, best_size, name_of, selfish, unit_cost
    from lefi.flower.incentive import Incentive
    from lefi.flower.local import LocalGrid
    from lefi.flower.watch import Watch
    from lefi.flower.wire import Posted
    from lefi.ledger import Ledger
except ModuleNotFoundError as error:
    raise LefiError(f"lefi.flower needs {error.name}: pip install 'lefi-fl[flower]'") from None

__all__ = [
    "Checkpoints", "Client", "Incentive", "Ledger", "LocalGrid", "Posted", "Watch", "best_size", "name_of",
    "selfish", "unit_cost",
]  # fmt: skip
