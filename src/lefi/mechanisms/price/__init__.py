"""`price`: a price per thousand samples up to a limit, learned from what each client takes and refuses."""

from lefi.mechanisms.price import gathered  # noqa: F401  says how it is divided
from lefi.mechanisms.price.mechanism import Price

__all__ = ["Price"]
