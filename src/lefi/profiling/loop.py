"""Close the loop: mechanisms pay, clients train, and the accuracy is that of the model they trained.

Jobs (a mechanism, a seed, a budget) are played side by side, round by round: each posts its offer and hears its
clients, then all clients of all jobs train at once, then each mechanism is told. The oracle and first_best post, in
every round, the offer that is best by the fitted accuracy model and the clients' true costs. A job ends before the last
round when the target is reached, its total is spent, or its mechanism is done.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch

from lefi.arrays import FloatArray, whole
from lefi.draws import generator
from lefi.errors import InputError
from lefi.files import refusals
from lefi.mechanisms import Mechanism, make
from lefi.mechanisms.catalogue import mechanism_of, settings_of
from lefi.mechanisms.mechanism import done
from lefi.messages import Offer, Receipt, Roster
from lefi.offers import PriceOffer
from lefi.offers.totals import Total
from lefi.optimum import ORACLE, first_best, oracle
from lefi.profiling.measure import write_table
from lefi.profiling.sgd import Weights
from lefi.profiling.train import Trainer
from lefi.profiling.training_market import Federation, sample_counts
from lefi.spelling import spelled
from lefi.world.market import Market

FIRST_BEST = "first_best"
WILLING = 1 + 5e-10  # of its cost: who is paid just that has no reason to say yes; half of the budget's margin
KNOWING = {ORACLE: "curve", FIRST_BEST: "price"}  # bounds that see the clients' costs, and how they pay
COLUMNS = {
    "mechanism": pl.String,
    "seed": pl.Int64,
    "budget": pl.Float64,
    "round": pl.Int64,
    "paid": pl.Float64,
    "accuracy": pl.Float64,
    "modelled": pl.Float64,
    "size": pl.Float64,
}

Progress = Callable[[int, int], None]  # rounds done, of all


class Job(NamedTuple):
    """A mechanism that pays one federation."""

    mechanism: str
    seed: int
    budget: float


class Posted:
    """The same offer in every round."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def ask(self, roster: Roster, budget: float | None = None) -> Offer:
        return self.offer

    def tell(self, receipt: Receipt) -> None:
        """Learn nothing."""


class Playing:
    """One job while it is played: offer and answers first, then the accuracy of what was trained."""

    def __init__(self, job: Job, market: Market, trainer: Trainer, settings: dict[str, Any]) -> None:
        payment = KNOWING.get(job.mechanism) or mechanism_of(job.mechanism).payment
        self.job, self.market = job, market.taking(payment)
        self.mechanism = _mechanism(job, self.market, settings)
        self.federation = Federation(trainer, job.seed, market.terms.size_high)
        self.weights = self.federation.start()
        self.receipt: Receipt | None = None
        self.total = Total(self.market.terms)

    def settle(self, round: int) -> None:
        """Post the offer and hear the clients."""
        roster, budget = self.market.fleet.roster, self.total.in_force()
        offer = self.mechanism.ask(roster) if budget is None else self.mechanism.ask(roster, budget)
        rng = generator(self.job.seed, "behaviour", round)
        self.receipt = self.market.settle(round, self.total.within(offer), rng, budget)

    def ended(self, target: float) -> bool:
        """Whether the model is good enough, the money gone, or the mechanism done."""
        reached = self.receipt is not None and self.receipt.accuracy >= target
        return reached or done(self.mechanism) is not None or self.total.empty

    @property
    def trained(self) -> FloatArray:
        """The sizes that clients really train on."""
        assert self.receipt is not None
        return self.market.truth(self.receipt.sizes)

    def tell(self, weights: Weights, accuracy: float) -> tuple[object, ...]:
        """Go on from this model; the row of the round."""
        assert self.receipt is not None
        receipt, self.weights = replace(self.receipt, accuracy=accuracy), weights
        self.receipt = receipt
        self.total.pay(receipt)
        modelled = self.market.terms.accuracy(np.nan_to_num(receipt.sizes), receipt.roster.iid).mean()
        self.mechanism.tell(receipt)
        self.market = self.market.after(receipt).advance(generator(self.job.seed, "advance", receipt.round))
        size = float(np.nan_to_num(receipt.sizes).mean())
        return (*self.job, receipt.round, receipt.paid, accuracy, float(modelled), size)


def train_mechanisms(
    mechanisms: Iterable[str],
    market_of: Callable[[int, float], Market],
    trainer: Trainer,
    *,
    rounds: int,
    seeds: Iterable[int],
    budgets: Iterable[float],
    target: float | None = None,
    settings: dict[str, Any] | None = None,
    together: int | None = None,
    kept: Path | None = None,
    about: Any = None,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Play each mechanism for each budget and seed with real training; one row per job and round.

    `market_of(seed, budget)` gives the modelled market. The same seed means the same clients, samples and first model
    for all. Jobs end once the model reaches `target`. Mechanisms that take one of the `settings`, and are not written
    with it, are given it. `together`: jobs side by side (CPU 1, CUDA all). Finished groups of jobs are kept in the
    folder `kept`, under a key of `about` (what else the rows depend on), and are not played again.
    """
    jobs = [Job(name, seed, budget) for seed in seeds for budget in budgets for name in mechanisms]
    if not jobs:
        raise InputError("mechanisms x seeds x budgets", "none", "at least 1 x 1 x 1")
    together = whole("together", together or (len(jobs) if trainer.device.type == "cuda" else 1), low=1)
    groups = [jobs[start : start + together] for start in range(0, len(jobs), together)]
    tables, finished = [], 0
    for group in groups:
        path = None if kept is None else kept / f"{_key(group, rounds, about)}.parquet"
        if path is not None and path.is_file():
            tables.append(pl.read_parquet(path))
            finished += rounds * len(group)
            continue
        playing = [Playing(job, market_of(job.seed, job.budget), trainer, settings or {}) for job in group]
        rows: list[tuple[object, ...]] = []
        for number, round in enumerate(_play(playing, rounds, np.inf if target is None else target), 1):
            rows += round
            if progress is not None:
                progress(finished + number * len(group), rounds * len(jobs))
        finished += rounds * len(group)
        ordered = [row for job in group for row in rows if row[: len(job)] == job]  # a job's rounds together
        tables.append(pl.DataFrame(ordered, schema=COLUMNS, orient="row"))
        if path is not None:
            with refusals(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_table(tables[-1], path)
    return pl.concat(tables)


def _play(playing: list[Playing], rounds: int, target: float) -> Iterator[list[tuple[object, ...]]]:
    """All jobs, round by round; after each round a row per job that is still played."""
    for number in range(1, rounds + 1):
        playing = [one for one in playing if not one.ended(target)]
        for one in playing:
            one.settle(number)
        if not playing:
            return
        trained = (result for members in _alike(playing).values() for result in _train(members, number))
        yield [one.tell(weights, accuracy) for one, weights, accuracy in trained]


def _alike(playing: list[Playing]) -> dict[bytes, list[Playing]]:
    """Jobs whose clients have the same ids, so that they can train side by side."""
    groups: dict[bytes, list[Playing]] = {}
    for one in playing:
        groups.setdefault(one.market.fleet.roster.ids.tobytes(), []).append(one)
    return groups


def _train(members: list[Playing], number: int) -> Iterator[tuple[Playing, Weights, float]]:
    """A round of training of all these jobs at once."""
    trainer, roster = members[0].federation.trainer, members[0].market.fleet.roster
    stacked = {name: torch.cat([one.weights[name] for one in members]) for name in members[0].weights}
    samples = torch.cat([one.federation.samples(one.market.fleet.roster) for one in members])
    counts = np.stack([sample_counts(one.trained) for one in members])
    trained = trainer.round(stacked, samples, counts, [one.job.seed for one in members], number, roster.ids)
    accuracy = trainer.accuracy(trained)
    for at, one in enumerate(members):
        yield one, {name: values[at : at + 1] for name, values in trained.items()}, float(accuracy[at])


def _mechanism(job: Job, market: Market, settings: dict[str, Any]) -> Mechanism:
    if job.mechanism == ORACLE:
        return Posted(oracle(market).offer)
    if job.mechanism == FIRST_BEST:
        offer = first_best(market).offer
        return Posted(PriceOffer(offer.price * WILLING, offer.limit))
    written = spelled(job.mechanism)
    wanted = (settings_of(written.spec).keys() - written.settings.keys()) & settings.keys()
    return make(job.mechanism, market.terms, seed=job.seed, **{name: settings[name] for name in wanted})


def _key(jobs: list[Job], rounds: int, about: Any) -> str:
    told = json.dumps({"jobs": jobs, "rounds": rounds, "about": about}, sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def summary(table: pl.DataFrame) -> list[dict[str, Any]]:
    """For each budget and mechanism: accuracy after the last round (mean, least, most), USD spent, modelled."""
    last = table.filter(pl.col("round") == pl.col("round").max())
    each = table.group_by("budget", "mechanism", "seed").agg(pl.col("paid").sum())
    spent = each.group_by("budget", "mechanism").agg(spent=pl.col("paid").mean())
    ends = last.group_by("budget", "mechanism", maintain_order=True).agg(
        pl.col("accuracy").mean(),
        least=pl.col("accuracy").min(),
        most=pl.col("accuracy").max(),
        modelled=pl.col("modelled").mean(),
    )
    return ends.join(spent, on=["budget", "mechanism"], maintain_order="left").to_dicts()
