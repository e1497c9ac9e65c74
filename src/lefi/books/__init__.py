"""The books of a real job: a mechanism with a purse and a ledger, and what is made of answers (extra `ledger`)."""

from lefi.books.books import Books, failure
from lefi.books.job import made, note

__all__ = ["Books", "failure", "made", "note"]
