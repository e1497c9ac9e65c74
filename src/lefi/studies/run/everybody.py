"""The table of the study `everybody`: how far each mechanism comes on the same markets, how soon, and what it takes.

quality       judged accuracy of the last round as a share of what first_best reaches with the same money
settled       the first round from which accuracy stays within SETTLED of that of the last round
milliseconds  of a round, ask and tell, on this machine: median over rounds with ten clients
"""

import time
from pathlib import Path

import numpy as np
import polars as pl

from lefi.mechanisms.catalogue import make, mechanism_of
from lefi.studies.plan.paper import EVERYBODY, paper_folder
from lefi.studies.plan.study import Study
from lefi.studies.run.load import load
from lefi.world.scenarios import scenario

MARKET = ["scenario", "budget", "seed"]
SETTLED = 0.02  # of the last accuracy
TIMED = 12  # rounds, of which the first ones compile


def everybody(results: Path, study: Study | None = None) -> pl.DataFrame:
    """One row per mechanism and market of the finished study."""
    study = study or Study.read(paper_folder() / f"{EVERYBODY}.toml")
    specs = {run.mechanism: run.spec for run in study.runs()}
    rounds, keys = load(EVERYBODY, results)[0].sort("round"), ["mechanism", *MARKET]
    rounds = rounds.with_columns(pl.col("judged").fill_nan(pl.col("clean")))  # a contest, whose losers work at a loss
    known = rounds.filter(pl.col("first_best").is_not_nan())  # of the paper's curve it is not asked for
    best = known.group_by(MARKET).agg(first_best=pl.col("first_best").last())
    ends = rounds.group_by(keys).agg(
        judged=pl.col("judged").last(), worst=pl.col("overspend").max(), settled=_settled().max()
    )
    named = pl.DataFrame({"mechanism": list(specs), "spec": list(specs.values())})
    spent = named.with_columns(milliseconds=pl.Series([milliseconds(spec) for spec in specs.values()]))
    full = ends.join(best, on=MARKET).join(spent, on="mechanism")
    full = full.with_columns(quality=pl.col("judged") / pl.col("first_best"))
    return full.select("mechanism", "spec", *MARKET, "quality", "worst", "settled", "milliseconds").sort(keys)


def _settled() -> pl.Expr:
    """One more than each round in which a run is not where it ends, else 1."""
    last = pl.col("judged").last()
    away = (pl.col("judged") - last).abs() > SETTLED * last
    return pl.when(away).then(pl.col("round") + 1).otherwise(1).cast(pl.Float64)


def milliseconds(spec: str) -> float:
    """What a round of ten clients takes the mechanism."""
    market = scenario("mixed", budget=2.0, seed=1).taking(mechanism_of(spec).payment)
    mechanism, taken = make(spec, market.terms, seed=1), []
    for round in range(1, TIMED + 1):
        started = time.perf_counter()
        offer = mechanism.ask(market.fleet.roster)
        asked = time.perf_counter() - started
        receipt = market.settle(round, offer, None)
        started = time.perf_counter()
        mechanism.tell(receipt)
        taken.append(asked + time.perf_counter() - started)
    return 1000 * float(np.median(taken))
