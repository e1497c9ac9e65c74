"""The durable ledger: who was offered what, what came back, who was paid (extra `flower`)."""

from lefi.errors import LefiError

try:
    from lefi.ledger.entries import Answer, Promise, client_id
    from lefi.ledger.ledger import Ledger
except ModuleNotFoundError as error:
    raise LefiError(f"the durable ledger needs {error.name}: pip install 'lefi-fl[flower]'") from None

__all__ = ["Answer", "Ledger", "Promise", "client_id"]
