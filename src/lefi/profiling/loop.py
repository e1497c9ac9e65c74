"""Close the loop: mechanisms pay, clients train, and the accuracy is that of the model they trained.

The oracle posts, in every round, the offer that is best by the fitted accuracy model and the clients' true costs.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl

from lefi.errors import InputError
from lefi.mechanisms import Mechanism, make, registered
from lefi.messages import Offer, Receipt, Roster
from lefi.optimum import ORACLE, oracle
from lefi.profiling.train import Trainer
from lefi.profiling.training_market import training_market
from lefi.rounds import play
from lefi.world.market import Market

COLUMNS = {
    "mechanism": pl.String,
    "seed": pl.Int64,
    "round": pl.Int64,
    "paid": pl.Float64,
    "accuracy": pl.Float64,
    "modelled": pl.Float64,
    "size": pl.Float64,
}

Progress = Callable[[int, int], None]  # rounds done, of all


class Posted:
    """The same offer in every round."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def ask(self, roster: Roster, budget: float | None = None) -> Offer:
        return self.offer

    def tell(self, receipt: Receipt) -> None:
        """Learn nothing."""


def train_mechanisms(
    mechanisms: Iterable[str],
    market_of: Callable[[int], Market],
    trainer: Trainer,
    *,
    rounds: int,
    seeds: Iterable[int],
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Play each mechanism for each seed with real training; one row per mechanism, seed and round.

    `market_of(seed)` gives the modelled market. The same seed means the same clients, samples and first model for all.
    """
    names, seeds = list(mechanisms), list(seeds)
    if not names or not seeds:
        raise InputError("mechanisms x seeds", f"{len(names)} x {len(seeds)}", "at least 1 x 1")
    rows, done = [], 0
    for seed in seeds:
        market = market_of(seed)
        real = training_market(market, trainer, seed)
        for name in names:
            paid = real if name == ORACLE else real.taking(registered()[name].payment)
            for receipt in play(_mechanism(name, paid, seed), paid, rounds, seed):
                rows.append(_row(name, seed, market, receipt))
                done += 1
                if progress is not None:
                    progress(done, rounds * len(seeds) * len(names))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _mechanism(name: str, market: Market, seed: int) -> Mechanism:
    return Posted(oracle(market).offer) if name == ORACLE else make(name, market.terms, seed=seed)


def _row(name: str, seed: int, market: Market, receipt: Receipt) -> tuple[object, ...]:
    modelled = market.terms.accuracy(np.nan_to_num(receipt.sizes), receipt.roster.iid).mean()
    size = float(np.nan_to_num(receipt.sizes).mean())
    return (name, seed, receipt.round, receipt.paid, receipt.accuracy, float(modelled), size)


def summary(table: pl.DataFrame) -> list[dict[str, Any]]:
    """For each mechanism: accuracy after the last round (mean, least and most over seeds), USD spent, modelled."""
    last = table.filter(pl.col("round") == pl.col("round").max())
    each = table.group_by("mechanism", "seed").agg(pl.col("paid").sum())
    spent = each.group_by("mechanism").agg(spent=pl.col("paid").mean())
    ends = last.group_by("mechanism", maintain_order=True).agg(
        pl.col("accuracy").mean(),
        least=pl.col("accuracy").min(),
        most=pl.col("accuracy").max(),
        modelled=pl.col("modelled").mean(),
    )
    return ends.join(spent, on="mechanism", maintain_order="left").to_dicts()
