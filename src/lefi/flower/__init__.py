"""Pay the clients of a real Flower job (extra `flower`)."""

from lefi.errors import LefiError

try:
    import flwr as _flwr
except ModuleNotFoundError:
    raise LefiError("lefi.flower needs Flower: pip install 'lefi[flower]'") from None

from lefi.accounts import Ledger
from lefi.flower.checkpoints import Checkpoints
from lefi.flower.client import Client, best_size
from lefi.flower.incentive import Incentive
from lefi.flower.local import LocalGrid
from lefi.flower.wire import Posted

__all__ = ["Checkpoints", "Client", "Incentive", "Ledger", "LocalGrid", "Posted", "best_size"]
