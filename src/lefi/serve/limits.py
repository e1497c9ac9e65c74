"""Bounds on what callers may ask for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one service takes.

    body      bytes of a request; a hundred thousand clients with names, iid and rate are 6 MB
    seconds   that a request may take to arrive
    clients   names in one job
    jobs      in the ledger
    live      of them in memory; others are told their receipts again when they are called
    requests  per second of one address, on average
    burst     of them at once
    waiting   callers of one job, each before it is its turn
    threads   that work for jobs; those that read are others
    """

    body: int = 64 * 2**20
    seconds: float = 60.0
    clients: int = 200_000
    jobs: int = 1000
    live: int = 24
    requests: float = 500.0
    burst: int = 1000
    waiting: int = 32
    threads: int = 32
