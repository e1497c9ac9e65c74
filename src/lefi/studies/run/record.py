"""One run, from its settings to its two tables.

rounds   one row per round: what was realised, what it is worth without luck, and the marks to judge it by
         first_best: only for mechanisms outside the paper's payment class; surplus: mean of payment - expense,
         worst_off: the smallest of them
clients  one row per round and client: what was offered and what came back
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import lefi
from lefi.arrays import FloatArray
from lefi.errors import LefiError
from lefi.mechanisms.mechanism import done
from lefi.messages import Receipt
from lefi.receipts import Tables, to_tables
from lefi.rounds import walk
from lefi.studies.judge.marks import Marks, idle, judge_round, marks, surplus
from lefi.studies.plan.one_run import COLUMNS, RENAMED, Run
from lefi.world.fleet import Fleet
from lefi.world.market import Market

_last: tuple[str, dict[int, Marks]] = ("", {})  # the world of the last run, and the marks of its fleets by round


class _Play(NamedTuple):
    """What a run comes to, before it is labelled; without receipts where the clients table is not kept."""

    name: str
    rows: list[dict[str, Any]]
    receipts: list[Receipt]
    kept: list[FloatArray]


_played = _Play("", [], [], [])  # the last: studies that meet in a point have a run in common


def record(run: Run) -> Tables:
    """The tables of a run. The clients table is empty where the run does not keep it."""
    global _played
    play = _played
    if play.name != run.play or (run.keep_clients and not play.receipts):
        _played = play = _play(run)
    receipts, kept = (play.receipts, play.kept) if run.keep_clients else ([], [])
    return Tables(_labelled(run, play.rows), _clients(run, receipts, kept))


def _play(run: Run) -> _Play:
    play = _Play(run.play, [], [], [])
    for receipt, kept, row in _judged(run):
        play.rows.append(row)
        if run.keep_clients:
            play.receipts.append(receipt)
            play.kept.append(kept)
    return play


def judged_rounds(run: Run) -> Iterator[tuple[Receipt, dict[str, Any]]]:
    """Play the run and judge each round as it is settled: its receipt, and its row from `round` on."""
    return ((receipt, row) for receipt, _, row in _judged(run))


def _judged(run: Run) -> Iterator[tuple[Receipt, FloatArray, dict[str, Any]]]:
    """Of each round: its receipt, what each client keeps, and its row."""
    factory = run.factory
    market = run.market().taking(factory.payment)
    mechanism = lefi.make(run.spec, market.terms, seed=run.seed, **run.mechanism_settings)
    marker = _Marker(run, outer=market.terms.payment != "curve")
    fleet, best, nothing = market.fleet, np.nan, idle(market)
    for current, receipt in walk(mechanism, market, run.rounds, run.seed):
        marked = marker.marks(current, receipt)
        if current.fleet is not fleet:  # what was best for other clients says nothing of these
            fleet, best, nothing = current.fleet, np.nan, idle(current)
        kept = surplus(current, receipt, nothing)
        row = _row(current, receipt, marked, best, factory.searches)
        row |= {"surplus": float(kept.mean()), "worst_off": float(kept.min()), "done": done(mechanism)}
        best = row["best"]
        yield receipt, kept, row
    if not marker.fleets:
        why = done(mechanism) or "too little money for a round"
        raise LefiError(f"{run.mechanism} plays no round: {why}")


class _Marker:
    """The marks of each round's fleet. All mechanisms meet the same fleets: what the last run found out is kept.

    Clients that lean on what they delivered are other clients under another mechanism, and are marked anew.
    """

    def __init__(self, run: Run, outer: bool) -> None:
        global _last
        last = _last if _last[0] == run.world else (run.world, {})
        _last = last  # threads of a Dask worker may play other worlds meanwhile: each goes on with its own
        self.seed, self.outer, self.known = run.seed, outer, last[1]
        self.fleet: Fleet | None = None
        self.fleets = 0  # that were met
        self.marked = Marks(np.nan, np.nan, np.nan)

    def marks(self, market: Market, receipt: Receipt) -> Marks:
        """Those of the fleet that the receipt was settled with, under the budget that was in force."""
        if receipt.budget not in (None, market.terms.budget):  # what was left of a total
            terms = replace(market.terms, budget=receipt.budget)
            return marks(replace(market, terms=terms), self.seed, self.outer)
        if market.fleet is not self.fleet:
            self.fleet, self.fleets = market.fleet, self.fleets + 1
            self.marked = marks(market, self.seed, self.outer, self.known.get(receipt.round))
            self.known[receipt.round] = self.marked if self.outer else self.known.get(receipt.round, self.marked)
        if market.after(receipt).fleet is not market.fleet:
            self.known = {}
        return self.marked


def _row(market: Market, receipt: Receipt, marked: Marks, best: float, searcher: bool) -> dict[str, Any]:
    clean, fair = judge_round(market, receipt)
    budget, paid = market.terms.in_force(receipt.budget), receipt.paid
    best = float(np.fmax(best, fair))
    judged = best if searcher else fair
    return {
        "round": receipt.round,
        "accuracy": receipt.accuracy,
        "paid": paid,
        "overspend": max(paid / budget - 1, 0.0),
        "answered": int(receipt.answered.sum()),
        "clean": clean,
        "fair": fair,
        "best": best,
        "judged": judged,
        "share": marked.share(judged, market.terms.payment == "curve"),
        **vars(marked),
    }


def _labelled(run: Run, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """The rows under the run's settings, and the swept setting in a column of its own."""
    settings = {name: getattr(run, name) for name in COLUMNS if name not in rows[0]}
    table = pl.DataFrame([settings | row for row in rows], schema=COLUMNS)
    more = [column for name, column in _swept(run).items() if name not in COLUMNS]
    if run.total is not None and "total" not in run.swept:
        more.append(pl.lit(run.total, dtype=pl.Float64).alias("total"))
    return table.with_columns(more)


def _clients(run: Run, receipts: list[Receipt], kept: list[FloatArray]) -> pl.DataFrame:
    surplus = pl.Series("surplus", np.concatenate(kept) if kept else np.empty(0), dtype=pl.Float64)
    table = to_tables(receipts).clients.with_columns(surplus)
    label = [pl.lit(run.seed, dtype=pl.Int64).alias("seed"), pl.lit(run.mechanism).alias("mechanism")]
    first = ["round", "id", "weight", "limit", "size", "payment", "surplus"]
    own = [name for name in table.columns if name not in (*first, "iid", "rate")]  # of another kind of offer
    return table.select(*label, *_swept(run).values(), *first, *own)


def _swept(run: Run) -> dict[str, pl.Expr]:
    """The swept setting as a column: a number where it is one, otherwise as it is written."""
    columns = {}
    for setting, value in run.swept.items():
        name = RENAMED.get(setting, setting)
        kind = COLUMNS.get(name, pl.Float64 if isinstance(value, int | float) else pl.String)
        columns[name] = pl.lit(str(value) if kind == pl.String else value, dtype=kind).alias(name)
    return columns
