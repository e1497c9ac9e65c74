"""Every way of paying, in one and in two phases: the receipts are those of `play`, to the unit."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.books.samples import to_samples
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import Ledger, Money, client_id
from lefi.ledger.audit import audit, verify
from lefi.ledger.keys import read_public
from lefi.ledger.leaves import leaf_of
from lefi.messages import Offer
from lefi.offers import AuctionCall, MenuOffer
from lefi.registry import load_module
from tests.flower import toy

ROUNDS = 5
KINDS = {
    "waterfill": "curve", "price": "price", "contract": "menu", "pool": "pool", "contest": "rank",
    "auction": "auction",
}  # fmt: skip
OWN = Path(__file__).parents[2] / "examples" / "own" / "mine.py"


@dataclass(frozen=True, eq=False)
class WholeSamples:
    """A fleet of the simulator whose clients count in whole samples, as those of Flower do.

    What is on a menu is taken as it is written: on Flower menus are written in whole samples.
    """

    fleet: lefi.RationalFleet

    @property
    def roster(self) -> lefi.Roster:
        return self.fleet.roster

    def respond(self, offer: Offer, rng: Any) -> FloatArray:
        sizes = np.minimum(self.fleet.respond(offer, rng), offer.limit)
        if isinstance(offer, MenuOffer):
            return sizes
        return np.minimum([min(to_samples(size), toy.SAMPLES) / 1000 for size in sizes], offer.limit)

    def bid(self, call: AuctionCall, rng: Any) -> FloatArray:
        return self.fleet.bid(call, rng)

    def advance(self, rng: Any) -> "WholeSamples":
        return self


def market(terms: lefi.Terms, n: int = toy.CLIENTS) -> lefi.Market:
    ids = np.array([client_id(f"client-{i}") for i in range(n)])
    roster = lefi.Roster(ids, np.ones(n), np.full(n, 0.75))
    price = np.array([toy.price(i) for i in range(n)])
    fleet = lefi.RationalFleet(roster, price, np.full(n, 28.9), lefi.cost("paper"), size_high=terms.size_high)
    return lefi.Market(terms, WholeSamples(fleet))


def in_flower(path: Path, mechanism: Any, terms: lefi.Terms, **more: Any) -> Incentive:
    incentive = Incentive(toy.fedavg(), mechanism, terms=terms, ledger=path, **more)
    incentive.start(LocalGrid(toy.app(toy.knowing), toy.CLIENTS), toy.model(), num_rounds=ROUNDS)
    return incentive


def check_against_play(incentive: Incentive, played: list[lefi.Receipt], path: Path) -> None:
    ledger, money = incentive.ledger, Money()
    receipts = list(ledger.receipts())
    paid = {(row["round"], row["client"]): row["payment"] for row in ledger.rows() if row["kind"] == "payment"}
    for receipt, expected in zip(receipts, played, strict=True):
        units = [paid.get((receipt.round, f"client-{i}"), 0) for i in range(toy.CLIENTS)]
        assert units == money.units(expected.payments)
        np.testing.assert_allclose(receipt.sizes, expected.sizes, atol=1e-3)
        assert type(receipt.offer) is type(expected.offer)
    assert sum(paid.values()) > 0
    assert not verify(ledger, read_public(f"{path}.pub")).findings


@pytest.mark.parametrize("two_phase", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_receipts_are_those_of_play(tmp_path: Path, name: str, two_phase: bool) -> None:
    path = tmp_path / "ledger.db"
    terms = replace(toy.paying(name), size_high=4.0)
    chosen = toy.SETTINGS.get(name, {})
    incentive = in_flower(path, name, terms, seed=3, settings=chosen, two_phase=two_phase)
    played = list(lefi.play(lefi.make(name, terms, seed=3, **chosen), market(terms), ROUNDS))
    check_against_play(incentive, played, path)
    offers = [json.loads(row["offer"]) for row in incentive.ledger.rows() if row["kind"] == "offer"]
    assert {offer["kind"] for offer in offers} == {KINDS[name]}


@pytest.mark.parametrize("two_phase", [False, True])
def test_a_kind_from_outside(tmp_path: Path, two_phase: bool) -> None:
    own = load_module(str(OWN))
    path, terms = tmp_path / "ledger.db", replace(toy.TERMS, payment="tiers")
    incentive = in_flower(path, own.Tiers(terms), terms, two_phase=two_phase)
    check_against_play(incentive, list(lefi.play(own.Tiers(terms), market(terms), ROUNDS)), path)


def test_a_kind_from_outside_cannot_pass_the_budget(tmp_path: Path) -> None:
    """Whatever its worst case says: what is paid is cut to the budget, and all by the same factor."""
    own = load_module(str(OWN))

    class Liar(own.TierOffer):  # type: ignore[name-defined, misc]
        def worst_case(self) -> float:
            return 0.0

    lefi.pays("liar")(Liar)
    terms = replace(toy.TERMS, payment="liar")

    class Lies(own.Tiers):  # type: ignore[name-defined, misc]
        payment = "liar"

        def ask(self, roster: lefi.Roster, budget: float | None = None) -> Any:
            n = len(roster)
            return Liar(np.full(n, 1.0), np.linspace(100.0, 200.0, n), np.full(n, 4.0))

    path = tmp_path / "ledger.db"
    incentive = in_flower(path, Lies(terms), terms)
    paid = [row["payment"] for row in incentive.ledger.rows() if row["kind"] == "payment"]
    assert sum(paid) == pytest.approx(ROUNDS * 3 * 10**9, rel=1e-8)
    assert sum(paid) <= ROUNDS * 3 * 10**9
    assert max(paid) == pytest.approx(2 * min(paid), rel=1e-8)
    assert not verify(incentive.ledger, read_public(f"{path}.pub")).findings


def test_an_award_follows_from_the_bids(tmp_path: Path) -> None:
    """Whoever gives a winner a better price than the rule does is found, also where all else is made to fit."""
    incentive, _ = toy.run(tmp_path / "ledger.db", rounds=2, mechanism="auction")
    rows = list(incentive.ledger.rows())
    assert not audit(rows).findings
    paid = next(row for row in rows if row["kind"] == "payment")
    key = (paid["round"], "offer", paid["client"])
    award = next(row for row in rows if (row["round"], row["kind"], row["client"]) == key)
    terms = toy.offered(award)
    award["offer"] = json.dumps(terms | {"price": terms["price"] * 0.9})
    lower = paid["payment"] * 9 // 10
    closing = next(row for row in rows if (row["round"], row["kind"]) == (paid["round"], "round"))
    closing["payment"] -= paid["payment"] - lower
    paid["payment"] = lower
    for row in rows:
        row["leaf"] = leaf_of(row).hex()
    assert audit(rows).findings == [f"round {paid['round']}: the award does not follow from the bids"]
    fewer = [row for row in rows if row["kind"] != "call"]
    assert any("without its call" in finding for finding in audit(fewer).findings)


def test_a_message_cannot_name_code(tmp_path: Path) -> None:
    """Neither a server's message nor a row of a ledger makes anybody import a file."""
    from lefi.offers.columns import loaded_class

    evil = tmp_path / "evil.py"
    evil.write_text("raise SystemExit('imported')")
    for spec in (f"{evil}:Offer", "os:system", str(evil)):
        with pytest.raises(lefi.LefiError, match="no kind of offer"):
            loaded_class(spec)


def test_headline_survives_a_restart(tmp_path: Path) -> None:
    """`price`, the mechanism of README's headline: one start or many, the same ledger but for the ends of starts."""
    from lefi.ledger.views import frame

    tables = []
    for name, starts in (("one", (6,)), ("many", (1, 3, 6))):
        for rounds in starts:
            incentive, _ = toy.run(tmp_path / f"{name}.db", rounds=rounds, mechanism="price")
            incentive.ledger.close()
        with Ledger(tmp_path / f"{name}.db", reading=True) as ledger:
            tables.append(frame(ledger.rows(), clock=False))
    assert toy.but_for_ends(tables[0]).equals(toy.but_for_ends(tables[1]))
    assert [toy.ends(table) for table in tables] == [[6], [1, 3, 6]]
