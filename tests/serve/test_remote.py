"""A mechanism in a service is the same mechanism: the contract holds, and receipts are the same byte for byte."""

import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import lefi
from lefi.ledger import Ledger
from lefi.ledger.audit import verify
from lefi.ledger.keys import read_public
from lefi.mechanisms.catalogue import mechanism_of
from lefi.messages import Receipt, Terms
from lefi.receipts import to_tables
from lefi.remote import Remote, RemoteError
from lefi.spelling import spelled
from lefi.testing.mechanism import CLAUSES
from tests.lengths import LONG
from tests.serve.running import Caller, served

NUMBERS = itertools.count()
# Clauses that take most of the time; that receipts are the same byte for byte shows them, too.
MANY_ROUNDS = ("the books are kept", "the budget in force is followed", "offers follow whose answers it says")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("remote") / "ledger.db"


@pytest.fixture(scope="module")
def service(place: Path) -> Iterator[Caller]:
    with served(place) as caller:
        yield caller


def remote(service: Caller, name: str, terms: Terms, seed: int = 0) -> Remote:
    job = f"{name.partition('(')[0]}-{next(NUMBERS)}"
    return Remote.create(service.url, None, job, terms=terms, mechanism=name, seed=seed)


def as_bytes(receipts: Sequence[Receipt]) -> bytes:
    out = io.BytesIO()
    for table in to_tables(receipts):
        table.write_ipc(out)
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["price"])
def test_the_contract_is_kept(service: Caller, name: str) -> None:
    made: list[Remote] = []

    def factory(terms: Terms, seed: int = 0) -> Remote:
        made.append(remote(service, name, terms, seed))
        return made[-1]

    for clause, check in CLAUSES.items():
        if LONG or clause not in MANY_ROUNDS:
            check(factory)
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        *((name, scenario) for name in ("waterfill", "price") for scenario in ("mixed", "flaky", "churning")),
        ("pace(flat(price=0.01), target=0.9, data=gtsrb)", "flaky"),
        ("hierarchy(reputation(waterfill), clusters=2)", "churning"),
        ("serving(flat)", "mixed"),
    ],
)
def test_receipts_are_the_same_byte_for_byte(service: Caller, place: Path, name: str, scenario: str) -> None:
    """In process, as the caller over HTTP has them, and as the ledger of the service has them."""
    market = lefi.scenario(scenario, clients=6, budget=3.0, seed=2).taking(mechanism_of(spelled(name).spec).payment)
    budgets = [3.0, 3.0, 1.5, 0.25, 4.0, 3.0]
    here = list(lefi.play(lefi.make(name, market.terms, seed=5), market, 6, seed=7, budgets=budgets))
    over = remote(service, name, market.terms, seed=5)
    there = list(lefi.play(over, market, 6, seed=7, budgets=budgets))
    over.close()
    with Ledger(place, over.job, reading=True) as ledger:
        written = list(ledger.receipts())
        assert verify(ledger, read_public(f"{place}.pub")).findings == []
    assert as_bytes(here) == as_bytes(there) == as_bytes(written)
    assert as_bytes(here) != as_bytes(here[:-1])


def test_a_remote_mechanism_that_is_done_ends_the_game(service: Caller) -> None:
    market = lefi.scenario("mixed", clients=4, budget=2.0, total=6.0, seed=1).taking("price")
    over = remote(service, "schedule(flat, rounds=3)", market.terms)
    assert over.done is None
    assert len(list(lefi.play(over, market, 9, seed=1))) == 3
    assert over.done == "all 3 rounds of the schedule are played"
    over.close()


def test_told_again_nothing_is_written(service: Caller) -> None:
    market = lefi.scenario("mixed", clients=4, budget=2.0, seed=1).taking("price")
    first = remote(service, "price", market.terms)
    receipts = list(lefi.play(first, market, 3, seed=1))
    rows = first.state()["row"]
    second = Remote(service.url, None, first.job)
    for receipt in receipts:
        second.tell(receipt)
    assert second.state()["row"] == rows
    with pytest.raises(RemoteError, match="settled by other answers"):
        second.tell(Receipt(3, receipts[2].roster, receipts[2].offer, receipts[1].sizes / 2, receipts[1].payments, 0.5))
    assert second.state()["row"] == rows
    for one in (first, second):
        one.close()


def test_an_offer_over_the_budget_is_refused(service: Caller) -> None:
    """Whatever the caller brings: the budget is kept where money leaves."""
    market = lefi.scenario("mixed", clients=4, budget=2.0, seed=1).taking("price")
    over = remote(service, "price", market.terms)
    roster = market.fleet.roster
    dear = lefi.PriceOffer([1.0] * 4, [5.0] * 4)  # type: ignore[arg-type]
    with pytest.raises(RemoteError, match="its budget of 2"):
        over.tell(Receipt(1, roster, dear, [1.0] * 4, [1.0] * 4, 0.1, 2.0))  # type: ignore[arg-type]
    assert over.state()["row"] == 1
    over.close()
