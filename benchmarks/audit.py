"""How long `lefi ledger verify` takes for a large round: CPU seconds, and how they grow with the clients.

A round of --clients clients that all answer, and one of a quarter of them. Linear in clients: the ratio is about 4.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from lefi.ledger import Ledger, Promise
from lefi.ledger.audit import verify
from lefi.ledger.entries import Answer, roster_of
from lefi.ledger.keys import read_public
from lefi.messages import CurveOffer, Receipt


def play(place: Path, clients: int) -> None:
    """One settled round."""
    names = tuple(f"client-{number}" for number in range(clients))
    roster = roster_of(names, np.ones(clients), np.full(clients, 0.75))
    offer = CurveOffer(np.full(clients, 0.5), roster.rate, np.full(clients, 10.0))
    sizes = np.full(clients, 2.0)
    with Ledger(place) as ledger:
        ledger.begin({"budget": float(clients)})
        ledger.promise(Promise(1, names, roster, offer))
        answers = [Answer(name, "2000", "accepted", 2.0) for name in names]
        ledger.settle(names, Receipt(1, roster, offer, sizes, offer.payment(sizes), 0.5), answers)


def audited(place: Path) -> float:
    """CPU seconds of one audit that finds nothing."""
    with Ledger(place, reading=True) as ledger:
        began = time.process_time()
        found = verify(ledger, read_public(place.with_name(f"{place.name}.pub")))
        took = time.process_time() - began
    assert found.settled == 1
    assert not found.findings, found.findings[:3]
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=32_000)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    best = []
    with tempfile.TemporaryDirectory() as folder:
        for clients in (chosen.clients // 4, chosen.clients):
            place = Path(folder) / f"{clients}.db"
            play(place, clients)
            best.append(min(audited(place) for _ in range(chosen.repeats)))
            print(f"{clients:,} clients: {best[-1]:.2f} s CPU, {1e6 * best[-1] / clients:.0f} us per client")
    print(f"four times the clients take {best[1] / best[0]:.2f} times as long")


if __name__ == "__main__":
    main()
