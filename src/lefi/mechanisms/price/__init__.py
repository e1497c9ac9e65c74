"""`price`: a price per thousand samples up to a limit, learned from what each client takes and refuses."""

from lefi.mechanisms.price.mechanism import Price

__all__ = ["Price"]
