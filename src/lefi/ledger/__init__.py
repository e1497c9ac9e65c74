"""The durable ledger: who was offered what, what came back, who was paid; signed, so that it proves itself (extra
`ledger`)."""

from lefi.errors import LefiError

try:
    from lefi.ledger.entries import Answer, Promise, client_id
    from lefi.ledger.ledger import Ledger
    from lefi.ledger.money import Money
except ModuleNotFoundError as error:
    raise LefiError(f"the durable ledger needs {error.name}: pip install 'lefi-fl[ledger]'") from None

__all__ = ["Answer", "Ledger", "Money", "Promise", "client_id"]
