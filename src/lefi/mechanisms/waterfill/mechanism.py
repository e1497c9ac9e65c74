"""`waterfill`: learn each client's response curve, allocate exactly, never owe more: docs/waterfill.md says how."""

from collections.abc import Sequence
from copy import copy
from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import TINY, IntArray
from lefi.cells import summed
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides, joined
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.waterfill.commons import VOTERS, Fleet
from lefi.mechanisms.waterfill.explain import explain
from lefi.mechanisms.waterfill.memory import EXACT, FORGET, SAME, Heard, Memory
from lefi.mechanisms.waterfill.plain import Plain
from lefi.mechanisms.waterfill.solver import Look, Plan, decide, look, written
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all.

    `forget`: rounds without a client after which its answers go.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("waterfill", market.terms)
    >>> [bool(receipt.paid <= market.terms.budget) for receipt in lefi.play(mechanism, market, rounds=4)]
    [True, True, True, True]
    """

    payment = "curve"
    learns = "own"
    tier = "sizes"

    def __init__(
        self, terms: Terms, *, seed: int = 0, explore: bool = True, forget: Annotated[int, Field(ge=1)] = FORGET
    ) -> None:
        self.terms, self.seed, self.explore, self.memory = terms, seed, explore, Memory(forget)
        self.fleet: Fleet | None = None

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        order = np.argsort(roster.ids)  # so that not even rounding depends on how the roster is ordered
        ordered, back, round = roster.take(order), np.argsort(order), self.round(roster, budget)
        seen = DIVISION.look(self, ordered, round)
        plan = DIVISION.decide(self, self.fleet, [seen.shared], round)
        draft = DIVISION.draft(self, ordered, plan, seen.own, round)
        offer = DIVISION.scaled(self, draft, summed(ordered.ids, draft.cost), plan, round)
        return CurveOffer(offer.weight[back], roster.rate, offer.limit[back])

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        round, head = self.round(receipt.roster, receipt.budget), self.fleet
        lesson = DIVISION.tell(self, receipt, round)
        self.fleet = DIVISION.learn(self, head, [lesson.shared], round)

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; the rate of each is the one it was last seen with."""
        fleet = self.fleet or Fleet(self.terms, self.terms.budget / max(ids.size, 1))
        return explain(self.terms, fleet, self.memory, ids)

    def round(self, roster: Roster, budget: float | None) -> Round:
        """The round to come, where these are all clients."""
        return Round(self.memory.round + 1, self.terms.in_force(budget), len(roster))


@divides("waterfill")
class Steps(Division[Waterfill]):
    """The steps of a round. The head is the fleet's share of the belief; answers stay where their clients are."""

    def at(self, mechanism: Waterfill, own: None, head: Fleet | None) -> Waterfill:
        here = copy(mechanism)
        here.fleet = head
        return here

    def look(self, of: Waterfill, roster: Roster, round: Round) -> Lesson:
        return Lesson(*look(of.memory, roster, of.fleet.shared, round.clients, of.seed)) if of.fleet else Lesson()

    def decide(self, of: Waterfill, head: Fleet | None, looks: Sequence[Look], round: Round) -> Plan | None:
        return None if head is None else decide(of.terms, head.shared, looks, of.explore, round)

    def draft(self, of: Waterfill, roster: Roster, plan: Plan | None, own: Plain, round: Round) -> Draft:
        """The offers, and the most that they can cost. Before anything is known all get equal shares."""
        weight, limit = np.full((2, len(roster)), [[round.money / round.clients], [of.terms.size_high]])
        if plan is not None:
            found = written(of.terms, roster, own, plan)
            weight, limit = np.exp(found.x), found.limit
        sound = np.isfinite(weight) & np.isfinite(limit)  # a belief gone wrong costs its client a round, nobody else
        offer = CurveOffer(np.where(sound, weight, 0.0), roster.rate, np.where(sound, limit, of.terms.size_low))
        return Draft(offer, offer.payment(offer.limit))

    def scaled(self, of: Waterfill, draft: Draft, cost: float, plan: Plan | None, round: Round) -> CurveOffer:
        """The offers with their weights scaled down, where needed, so that their worst case stays within the budget."""
        share = min(1.0, spendable(round.money) * (1 - 1e-12) / max(cost, TINY))  # sums in another order differ by less
        return CurveOffer(draft.offer.weight * share, draft.offer.rate, draft.offer.limit)

    def tell(self, of: Waterfill, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        """Remember what came back. Those clients vote on what the fleet has in common whose ids hash low."""
        roster, weight, limit = receipt.roster, receipt.offer.weight, receipt.offer.limit
        asked = (weight > SAME * round.money / round.clients) & (limit > EXACT * of.terms.size_high)
        y = np.where(asked, np.minimum(receipt.sizes, limit), np.nan)
        of.memory.note(roster, np.log(np.maximum(weight, TINY)), limit, y)
        of.fleet = None  # it is the head's: a partition need not save it
        return Lesson(of.memory.hear(roster, uniform(key(of.seed, "voters"), roster.ids) < VOTERS / round.clients))

    def learn(self, of: Waterfill, head: Fleet | None, lessons: Sequence[Heard], round: Round, *told: Outcome) -> Fleet:
        fleet, voters = copy(head or Fleet(of.terms, round.money / round.clients)), Heard(*joined(lessons))
        fleet.watch(voters, round.number)
        fleet.learn(voters)
        return fleet


DIVISION = Steps()
