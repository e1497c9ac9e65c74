"""One round after another: ask, settle, tell, yield."""

from collections.abc import Iterator, Sequence

from lefi.arrays import whole
from lefi.draws import generator
from lefi.errors import InputError
from lefi.mechanisms import Mechanism
from lefi.mechanisms.mechanism import done
from lefi.messages import Receipt
from lefi.offers.totals import Total
from lefi.world.market import Market


def play(
    mechanism: Mechanism, market: Market, rounds: int, seed: int = 0, *, budgets: Sequence[float] | None = None
) -> Iterator[Receipt]:
    """Play that many rounds and yield each receipt. The market that was given is not changed.

    A mechanism that says it is done (a text `done`) is asked no more: there are fewer receipts then.
    The clients' draws depend on `seed` and the round alone, so every mechanism meets the same clients. `budgets` are
    those of the rounds, in USD; without them every round has the budget of the terms. A total in the terms is never
    passed: a round has at most what is left, and with too little left the job ends early.

    >>> market = lefi.scenario("mixed", clients=5, seed=1)
    >>> mechanism = lefi.make("waterfill", market.terms, seed=1)
    >>> for receipt in lefi.play(mechanism, market, rounds=3, seed=1):
    ...     print(f"round {receipt.round}: paid {receipt.paid:.2f} USD, accuracy {receipt.accuracy:.3f}")
    round 1: paid 2.43 USD, accuracy 0.209
    round 2: paid 2.38 USD, accuracy 0.208
    round 3: paid 2.50 USD, accuracy 0.212
    """
    return (receipt for _, receipt in walk(mechanism, market, rounds, seed, budgets=budgets))


def walk(
    mechanism: Mechanism, market: Market, rounds: int, seed: int = 0, *, budgets: Sequence[float] | None = None
) -> Iterator[tuple[Market, Receipt]]:
    """`play`, with the market that each receipt was settled in: who judges a round needs the fleet of that round."""
    if not isinstance(mechanism, Mechanism):
        raise InputError("mechanism", mechanism, "an object with ask and tell, see lefi.make")
    if not isinstance(market, Market):
        raise InputError("market", market, "a lefi.Market, see lefi.scenario")
    whole("rounds", rounds, low=1)
    whole("seed", seed, low=0)
    if budgets is not None and len(budgets) != rounds:
        raise InputError("budgets", f"{len(budgets)} of them", f"one for each of {rounds} rounds")
    each = [None] * rounds if budgets is None else [market.terms.in_force(budget) for budget in budgets]
    return _rounds(mechanism, market, each[: market.terms.rounds], seed)


def _rounds(
    mechanism: Mechanism, market: Market, budgets: Sequence[float | None], seed: int
) -> Iterator[tuple[Market, Receipt]]:
    total = Total(market.terms)
    for round, given in enumerate(budgets, 1):
        if total.empty or done(mechanism):
            return
        roster, budget = market.fleet.roster, total.in_force(given)
        offer = mechanism.ask(roster) if budget is None else mechanism.ask(roster, budget)
        receipt = market.settle(round, total.within(offer), generator(seed, "behaviour", round), budget)
        total.pay(receipt)
        mechanism.tell(receipt)
        yield market, receipt
        market = market.after(receipt).advance(generator(seed, "advance", round))
