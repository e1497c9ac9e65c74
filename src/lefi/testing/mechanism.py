"""The contract of a mechanism, clause by clause, played on small markets."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms import Mechanism
from lefi.messages import Offer, Receipt, Roster
from lefi.testing.clauses import Checked, check, require
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market
from lefi.world.scenarios import scenario

Factory = Callable[..., Mechanism]

CLIENTS = 6
MOST = 1e9  # budgets: a promise above this is running away
SHARES = (1.0, 1e-3, 0.03)  # of the budget, by turns; a thousandth is little in every way of paying
TURNS = 10  # rounds of each
LOOSE = 2.0  # budgets: those who learn by overspending come down to this, those who ignore the budget do not


def check_mechanism(factory: Factory) -> Checked:
    """Play with mechanisms that `factory(terms, seed=...)` makes; raise ContractError where one breaks its contract.

    >>> from lefi.testing import check_mechanism
    >>> checked = check_mechanism(lefi.registered()["pool"])
    >>> checked.clauses[0]
    'messages are not changed'
    """
    return check(factory, CLAUSES)


@dataclass(frozen=True, eq=False)
class _Scripted:
    """Clients that answer by a rule of the test, and bid next to nothing."""

    roster: Roster
    rule: Callable[[Offer], FloatArray]

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return self.rule(offer)

    def bid(self, call: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.full(len(call), 1e-9)

    def advance(self, rng: np.random.Generator) -> "_Scripted":
        return self


def _market(factory: Factory, clients: int = CLIENTS, **settings: Any) -> Market:
    """A small market that takes the kind of offer that the mechanism makes: the paper's curve, if it does not say."""
    market = scenario("mixed", clients=clients, seed=11, **settings)
    own = getattr(factory(market.terms, seed=0), "payment", market.terms.payment)
    return market.taking(getattr(factory, "payment", own))  # a wrapper pays as what is inside: its factory says


def _some(market: Market, positions: list[int] | IntArray) -> Market:
    """The same market with only these clients, in this order."""
    return replace(market, fleet=cast(RationalFleet, market.fleet).take(np.asarray(positions)))


def _answering(market: Market, rule: Callable[[Offer], FloatArray]) -> Market:
    return replace(market, fleet=_Scripted(market.fleet.roster, rule))


def _round(mechanism: Mechanism, market: Market, round: int) -> Receipt:
    receipt = market.settle(round, mechanism.ask(market.fleet.roster), None)
    mechanism.tell(receipt)
    return receipt


def _copied(receipt: Receipt) -> Receipt:
    """An equal receipt that shares no object with the first, as one read back from a ledger."""
    roster = receipt.roster
    return replace(receipt, roster=Roster(roster.ids, roster.iid, roster.rate), offer=replace(cast(Any, receipt.offer)))


def _terms_of(offer: Offer) -> FloatArray:
    """All that the offer says, one column per client; what holds for all is repeated."""
    said = [np.asarray(getattr(offer, field.name), dtype=np.float64) for field in fields(cast(Any, offer))]
    rows = [row if row.ndim and len(row) == len(offer) else np.tile(row.ravel(), (len(offer), 1)) for row in said]
    return np.concatenate([row.reshape(len(offer), -1).T for row in rows])


def _same(first: Offer, second: Offer) -> bool:
    return np.array_equal(_terms_of(first), _terms_of(second), equal_nan=True)


def _messages_stay(factory: Factory) -> None:
    market = _market(factory)
    mechanism = factory(market.terms, seed=3)
    for round in range(1, 4):
        receipt = market.settle(round, mechanism.ask(market.fleet.roster), None)
        before = _copied(receipt)
        mechanism.ask(receipt.roster)
        mechanism.tell(receipt)
        pairs = [(getattr(receipt.roster, name), getattr(before.roster, name)) for name in ("ids", "iid", "rate")]
        pairs += [(receipt.sizes, before.sizes), (receipt.payments, before.payments)]
        unchanged = all(np.array_equal(now, then) for now, then in pairs) and _same(receipt.offer, before.offer)
        require(unchanged, "the mechanism changed a roster or a receipt that it was given")


def _ask_is_pure(factory: Factory) -> None:
    """The curious twin is asked first for other clients, in other orders and with other money; never the quiet one."""
    market, others = _market(factory), _market(factory, 9)
    elsewhere = [_some(others, here).fleet.roster for here in ([8, 1, 7], [5, 0], [*range(8, -1, -1)], [0, 2])]
    quiet, curious = factory(market.terms, seed=3), factory(market.terms, seed=3)
    for round in range(1, 7):
        roster = market.fleet.roster
        for other in np.roll(np.arange(len(elsewhere)), round):
            curious.ask(elsewhere[other])
        first = curious.ask(roster)
        require(_same(first, curious.ask(roster)), f"asked twice before round {round}, it made two different offers")
        curious.ask(roster, market.terms.budget / 7)
        require(_same(first, curious.ask(roster)), f"asking for less money changed the offer of round {round}")
        offer = quiet.ask(roster)
        require(_same(offer, first), f"having been asked for others before changed the offer of round {round}")
        receipt = market.settle(round, offer, None)
        quiet.tell(receipt)
        curious.tell(receipt)


def _follows_the_budget(factory: Factory) -> None:
    """Much money, next to none and some, by turns: what is paid follows, up and down."""
    market = _market(factory)
    roster, whole, mechanism = market.fleet.roster, market.terms.budget, factory(market.terms, seed=3)
    paid: dict[float, float] = {}
    for round in range(1, TURNS * len(SHARES) + 1):
        same = _same(mechanism.ask(roster), mechanism.ask(roster, whole))
        require(same, "without a budget it does not take that of the terms")
        budget = whole * SHARES[round % len(SHARES)]
        receipt = market.settle(round, mechanism.ask(roster, budget), None, budget)
        mechanism.tell(receipt)
        paid[budget] = receipt.paid
    for budget, spent in paid.items():
        require(spent <= LOOSE * budget, f"with {budget:g} USD it pays {spent:g} after {TURNS} rounds of that")
    require(paid[whole] > paid[min(paid)], f"with {whole:g} USD it pays no more than with {min(paid):g}")


def _tell_is_replayable(factory: Factory) -> None:
    market = _market(factory)
    mechanism, roster = factory(market.terms, seed=3), market.fleet.roster
    asked, receipts = [], []
    for round in range(1, 8):
        asked.append(mechanism.ask(roster))
        receipts.append(_round(mechanism, market, round))
    for told in (0, 1, 3, 6):
        twin = factory(market.terms, seed=3)
        for receipt in receipts[:told]:
            twin.tell(_copied(receipt))
        same = _same(twin.ask(roster), asked[told])
        require(same, f"told the first {told} receipts again, a new instance makes another offer")


def _offers_fit(factory: Factory) -> None:
    for settings in ({}, {"size_low": 1.0}, {"clients": 1}, {"budget": 1e-6}, {"budget": 1e6}):
        market = _market(factory, **settings)
        mechanism = factory(market.terms, seed=0)
        for round in range(1, 8):
            _round(mechanism, market, round)


def _clients_come_and_go(factory: Factory) -> None:
    market = _market(factory, 12)
    mechanism = factory(market.terms, seed=3)
    here = [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5, 6], [6, 0, 4], [7, 8, 9, 10, 11], [3], [0, 1, 2, 3, 4]]
    for round in range(1, 2 * len(here) + 1):
        _round(mechanism, _some(market, here[(round - 1) // 2]), round)


def _missing_answers(factory: Factory) -> None:
    market = _market(factory)
    nobody = _answering(market, lambda offer: np.full(len(offer), np.nan))
    every_other = _answering(market, lambda offer: np.where(np.arange(CLIENTS) % 2 == 0, np.nan, offer.limit / 5))
    for pattern in ([every_other, nobody], [nobody, every_other], [nobody, nobody]):
        mechanism = factory(market.terms, seed=3)
        for round in range(1, 9):
            _round(mechanism, pattern[round % 2], round)


def _unmeasured_accuracy(factory: Factory) -> None:
    market = _market(factory)
    mechanism = factory(market.terms, seed=3)
    for round in range(1, 9):
        receipt = market.settle(round, mechanism.ask(market.fleet.roster), None)
        mechanism.tell(replace(receipt, accuracy=receipt.accuracy if round == 4 else np.nan))
    market.check(mechanism.ask(market.fleet.roster))


def _keeps_the_books(factory: Factory) -> None:
    """Clients that give nothing for any money, then all for any money."""
    market = _market(factory)
    nothing = _answering(market, lambda offer: np.zeros(len(offer)))
    everything = _answering(market, lambda offer: np.where(offer.payment(offer.limit) > 0, offer.limit, 0.0))
    mechanism = factory(market.terms, seed=3)
    budget = market.terms.budget
    for round in range(1, 31):
        most = _round(mechanism, nothing, round).offer.worst_case()
        require(most <= MOST * budget, f"its weights run away: it promises {most:g} USD while unpaid")
    paid = [_round(mechanism, everything, round).paid for round in range(31, 56)]
    require(
        paid[-1] <= LOOSE * budget, f"after 25 rounds of full delivery it still pays {paid[-1] / budget:.3g} budgets"
    )


def _order_is_no_matter(factory: Factory) -> None:
    market = _market(factory)
    straight, shuffled = factory(market.terms, seed=3), factory(market.terms, seed=3)
    for round in range(1, 9):
        order = np.random.default_rng(round).permutation(CLIENTS)
        offer = _terms_of(_round(straight, market, round).offer)
        moved = _terms_of(_round(shuffled, _some(market, order), round).offer)
        require(
            np.allclose(moved, offer[:, order], rtol=1e-6, atol=0, equal_nan=True),
            f"order of clients changed round {round}",
        )


def _learns_as_it_says(factory: Factory) -> None:
    """One client answers otherwise than its twin: where it says so, that moves nobody's offer, or not its own."""
    market = _market(factory)
    learns = getattr(factory(market.terms, seed=3), "learns", "own")
    if learns == "own":
        return
    for client in range(CLIENTS):
        twins = factory(market.terms, seed=3), factory(market.terms, seed=3)
        told = slice(client, client + 1) if learns == "others" else slice(None)
        for round in range(1, 9):
            offers = [twin.ask(market.fleet.roster) for twin in twins]
            first, second = (_terms_of(offer)[:, told] for offer in offers)
            kept = np.array_equal(first, second, equal_nan=True)
            require(kept, f"it learns from {learns}, yet another answer of a client moved that client's offer")
            receipt = market.settle(round, offers[0], None)
            twins[0].tell(receipt)
            twins[1].tell(_refused_by(market.settle(round, offers[1], None), client))


def _refused_by(receipt: Receipt, client: int) -> Receipt:
    """The receipt, had one client delivered nothing."""
    sizes = np.where(np.arange(len(receipt.roster)) == client, 0.0, receipt.sizes)
    return replace(receipt, sizes=sizes, payments=receipt.offer.payment(sizes))


CLAUSES: dict[str, Callable[[Factory], None]] = {
    "messages are not changed": _messages_stay,
    "ask is pure": _ask_is_pure,
    "tell is replayable": _tell_is_replayable,
    "offers fit the roster": _offers_fit,
    "clients come and go": _clients_come_and_go,
    "missing answers are survived": _missing_answers,
    "unmeasured accuracy is survived": _unmeasured_accuracy,
    "the books are kept": _keeps_the_books,
    "reordering clients reorders the offer": _order_is_no_matter,
    "the budget in force is followed": _follows_the_budget,
    "offers follow whose answers it says": _learns_as_it_says,
}
