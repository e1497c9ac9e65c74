"""The footnote: can deep reinforcement learning learn in 100 interactions?"""

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.studies.claims.claim import Finding, Untested, spelled
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.judge.statistics import difference, median, told
from lefi.studies.run.results import Results

AGENTS = {"scratch": "from scratch", "taught": "taught on simulated markets"}
BESIDE = ("lefi", "waterfill", "uniform")


def footnote(results: Results) -> Finding:
    """(j) Deep reinforcement learning cannot learn in 100 interactions."""
    short, long = at_the_end(results.heavy("drl")), at_the_end(results.heavy("drl_long"))
    much = difference(_shares(long, "scratch"), _shares(long, "uniform"))
    many = f"{int(long['round'][0]):,}"
    if not float(much.low) > 0:
        raise Untested(f"the agent has not learned in {many} interactions either: it tells nothing about fewer")
    words, parts, reasons = [], [], []
    numbers = spelled("scratch_long", much)
    for name, who in AGENTS.items():
        lead = difference(_shares(short, name), _shares(short, "uniform"))
        words.append(f"{who} {told(median(_shares(short, name)))}, {told(lead)} ahead of uniform")
        parts.append(not float(lead.low) > 0)
        reasons += [] if parts[-1] else [f"{who} it is ahead of what learns nothing"]
        numbers |= spelled(f"{name}_lead", lead) | spelled(name, median(_shares(short, name)))
    words += [f"{name} {told(median(_shares(short, name)))}" for name in BESIDE]
    numbers |= {key: value for name in BESIDE for key, value in spelled(name, median(_shares(short, name))).items()}
    there = [name for name in ("scratch", *BESIDE) if name in long["mechanism"]]
    longer = ", ".join(
        f"{name} {told(median(_shares(long, name)))} ({_shares(long, name).size} fleets)" for name in there
    )
    measured = (
        f"share of the oracle's gain after {int(short['round'][0])} interactions, mean over four families of clients "
        f"and two budgets: {'; '.join(words)}. After {many} interactions on mixed: {longer}; from scratch it is "
        f"{told(much)} ahead of uniform"
    )
    return Finding(measured, parts, reasons, numbers)


def _shares(table: pl.DataFrame, mechanism: str) -> FloatArray:
    """The share of each fleet, mean over the markets in which there is something to gain; fleets in order."""
    rows = table.filter(mechanism=mechanism).with_columns(pl.col("share").fill_nan(None))
    if rows.is_empty():
        raise Untested(f"study drl has no runs of {mechanism}")
    return np.asarray(rows.group_by("seed").agg(pl.col("share").mean()).sort("seed")["share"].to_numpy())
