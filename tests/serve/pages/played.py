"""Small jobs for the pages: simulated clients play, and every round is written and signed as a real job writes it."""

from pathlib import Path
from typing import Any

import numpy as np

import lefi
from lefi.books.guard import keep
from lefi.ledger import Answer, Ledger, Promise
from lefi.ledger.entries import roster_of

REFUSED = ("malformed", "late", "above size_high")


class Job:
    """A mechanism, a market and a ledger; `play` closes so many rounds."""

    def __init__(
        self, path: Path | str, name: str, mechanism: str = "lefi", clients: int = 20, rounds: int = 60
    ) -> None:
        payment = lefi.registered()[mechanism].payment
        self.market = lefi.scenario("mixed", clients=clients, budget=0.5 * clients, seed=4, payment=payment)
        self.mechanism: Any = lefi.make(mechanism, self.market.terms, seed=4)
        self.names = tuple(f"car-{number}" for number in range(clients))
        self.ledger = Ledger(path, name)
        budget = self.market.terms.budget
        self.ledger.begin(
            {"mechanism": mechanism, "budget": budget, "total": budget * rounds, "rounds": rounds, "size_low": 0.0,
             "size_high": 10.0, "payment": payment, "deadline": 60.0, "seed": 4, "version": lefi.__version__}
        )  # fmt: skip
        self.round = self.ledger.settled

    def play(self, rounds: int = 1, measured: bool = True) -> None:
        for _ in range(rounds):
            self._round(measured)

    def _round(self, measured: bool) -> None:
        self.round += 1
        fleet = self.market.fleet.roster
        roster = roster_of(self.names, fleet.iid, fleet.rate)
        asked = self.mechanism.ask(roster)
        offer = keep(asked, self.market.terms, self.market.terms.budget, np.full(len(roster), np.inf))
        self.ledger.promise(Promise(self.round, self.names, roster, offer))
        rng = np.random.default_rng(self.round)
        receipt = self.market.settle(self.round, offer, rng)
        sizes = np.array(receipt.sizes)
        refused = {int(at): REFUSED[at % 3] for at in np.flatnonzero(rng.random(len(self.names)) < 0.03)}
        sizes[list(refused)] = np.nan
        accuracy = receipt.accuracy if measured else np.nan
        payments = np.where(np.isnan(sizes), 0.0, receipt.payments)
        told = lefi.Receipt(self.round, roster, offer, sizes, payments, accuracy)
        self.ledger.settle(self.names, told, [self._answer(at, sizes[at], refused) for at in range(len(self.names))])
        self.mechanism.tell(told)

    def _answer(self, at: int, size: float, refused: dict[int, str]) -> Answer:
        if at in refused:
            return Answer(self.names[at], "'x'", refused[at], None)
        return Answer(self.names[at], f"{1000 * size:.0f}", "accepted", float(size))

    def close(self) -> None:
        self.ledger.close()
