"""`lefi` in partitions: shared are the number of clients, one sum of payments, and the clients that vote on a refit."""

from collections.abc import Sequence
from copy import copy

from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides
from lefi.mechanisms.lefi.mechanism import Lefi
from lefi.messages import CurveOffer, Receipt, Roster
from lefi.surrogate import Bank
from lefi.surrogate.evidence import SAMPLE, joined, learn, voting
from lefi.surrogate.kernels import Hyper


@divides("lefi")
class LefiDivision(Division[Lefi]):
    """The head has the hyper-parameters, once they were chosen."""

    def refusal(self, mechanism: Lefi) -> str | None:
        return "solve=exact ranks the whole fleet" if mechanism.solve == "exact" else None

    def at(self, mechanism: Lefi, own: None, head: Hyper | None) -> Lefi:
        if head is None:
            return mechanism
        here = copy(mechanism)
        here.bank = copy(mechanism.bank)
        here.bank.refit(head)
        return here

    def draft(self, mechanism: Lefi, roster: Roster, plan: None, own: None, round: Round) -> Draft:
        return mechanism.draft(roster, round.money, round.clients)

    def scaled(self, mechanism: Lefi, draft: Draft, cost: float, plan: None, round: Round) -> CurveOffer:
        return mechanism.scaled(draft.offer, cost, round.money)

    def tell(self, mechanism: Lefi, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        mechanism.observe(receipt, round.clients)
        mechanism.bank.settle()  # so that asking later changes nothing
        voting_now = round.number in mechanism.refits
        return Lesson(mechanism.bank.sample(voting(mechanism.bank, SAMPLE)) if voting_now else None)

    def learn(
        self, mechanism: Lefi, head: Hyper | None, lessons: Sequence[Bank | None], round: Round, outcome: Outcome
    ) -> Hyper | None:
        """The voters of the fleet are among those of its partitions: those whose ids hash lowest."""
        banks = [bank for bank in lessons if bank is not None and bank.ids.size]
        if not banks:
            return head
        voters = joined(banks)
        voters.refit(head or mechanism.bank.hyper)
        return learn(voters, mechanism.lengthscales, mechanism.noises)
