"""A mechanism pays a job in which some clients cheat: its offers decide what clients claim, and verdicts who stays."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.draws import generator
from lefi.mechanisms import Mechanism
from lefi.messages import Receipt
from lefi.profiling.cheats import Fleet, Job
from lefi.profiling.train import Trainer
from lefi.trust import Escrow, Trust
from lefi.world.market import Market

UNIT = 1e-9  # USD


class PaidJob(Job):
    """Clients answer offers as those of the market do, up to what they own; below `least` samples they stay away."""

    def __init__(
        self, trainer: Trainer, fleet: Fleet, seed: int, market: Market, mechanism: Mechanism, least: int
    ) -> None:
        super().__init__(trainer, fleet, seed)
        self.market, self.mechanism, self.least = market, mechanism, least
        self.receipt: Receipt | None = None

    def claims(self, number: int, here: IntArray) -> tuple[IntArray, IntArray]:
        """Post the offers of the round to those who are here, and hear them."""
        market = replace(self.market, fleet=self.market.fleet.take(here))  # type: ignore[attr-defined]
        offer = self.mechanism.ask(market.fleet.roster)
        receipt = market.settle(number + 1, offer, generator(self.seed, "behaviour", number + 1))
        samples = np.minimum(np.floor(1000 * np.nan_to_num(receipt.sizes)).astype(int), self.sizes[here])
        samples = np.where(samples >= self.least, samples, 0)
        sizes = samples / 1000
        self.receipt = replace(receipt, sizes=sizes, payments=receipt.offer.payment(sizes))
        part = samples > 0
        return here[part], samples[part]

    def tell(self, accuracy: float) -> FloatArray:
        """The mechanism learns how the round went; what each client of the job is paid for it [USD]."""
        assert self.receipt is not None
        receipt = replace(self.receipt, accuracy=accuracy)
        self.mechanism.tell(receipt)
        paid = np.zeros(self.fleet.clients)
        positions = {client: at for at, client in enumerate(self.market.fleet.roster.ids.tolist())}
        paid[[positions[client] for client in receipt.roster.ids.tolist()]] = receipt.payments
        return paid


class Paid(NamedTuple):
    """What a paid job came to. `kept`: of all that was paid, what those who cheat keep in the end.

    `delivered`: of what those own who never cheat, the share that they trained on, in the mean over rounds.
    """

    accuracy: float
    spent: float  # USD, what was forfeited taken off
    kept: float
    accused: int
    honest_lost: int
    silent: str | None  # why nobody was judged in the last round
    caught: float  # share of those who cheat that was accused; NaN where nobody does
    delivered: float


def pay(job: PaidJob, rounds: int, trust: Trust | None = None, escrow: int = 3) -> Paid:
    """Play the job; without trust everybody is believed."""
    held, accuracy, accused, silent = Escrow(escrow if trust else 0), 0.0, dict[int, int](), None
    out, honest, samples = np.zeros(job.fleet.clients), job.kinds == "honest", 0.0
    for number, round in enumerate(job.play(rounds, trust), 1):
        accuracy = round.accuracy
        samples += round.heard.claims[honest[round.heard.ids]].sum()
        units = np.floor(job.tell(accuracy) / UNIT).astype(int)
        held.earn(number, dict(enumerate(units.tolist())))
        for client in round.verdicts.accused if round.verdicts else ():
            accused[client] = number
            held.forfeit(client)
        for (_, one), part in held.due(number).items():
            out[int(one)] += part
        silent = round.verdicts.silent if round.verdicts else None
    for (_, one), part in held.release().items():
        out[int(one)] += part
    cheats = ~honest & (np.arange(len(out)) != job.leader)
    spent, lost = float(out.sum()), sum(1 for client in accused if honest[client])
    caught = sum(1 for client in accused if cheats[client]) / cheats.sum() if cheats.any() else np.nan
    kept, delivered = float(out[cheats].sum() / max(spent, 1)), float(samples / (rounds * job.sizes[honest].sum()))
    return Paid(accuracy, spent * UNIT, kept, len(accused), lost, silent, float(caught), delivered)
