"""One round, client by client: what it was offered, what it delivered, what it was paid; and what that looks like."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError
from lefi.ledger.glances import columns_of, names_of
from lefi.offers.columns import from_record
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import number, numbers

BINS = 24  # of each side of the histogram
LISTED = 100  # clients of a cell
BANDS = 60  # rounds of a chart of bands
PATIENCE = 0.4  # seconds for bands that are not known yet: the page asks again
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class Answers:
    """Arrays over the clients of a round; size NaN where nothing counted."""

    aliases: tuple[str, ...]
    offered: FloatArray  # the most that the offer pays [USD]
    size: FloatArray
    paid: FloatArray
    missing: int
    refused: int

    @cached_property
    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Of money and of size, from 0."""
        tops = (np.nanmax(values, initial=0.0) or 1.0 for values in (self.offered, self.size))
        money, size = (np.linspace(0.0, top * (1 + 1e-9), BINS + 1) for top in tops)
        return money, size

    @cached_property
    def cells(self) -> tuple[IntArray, IntArray]:
        """The column and row of each client; -1 where nothing counted."""
        bins = (
            np.digitize(values, edge) - 1 for values, edge in zip((self.offered, self.size), self.edges, strict=True)
        )
        column, row = (np.where(np.isnan(self.size), -1, np.minimum(bin, BINS - 1)) for bin in bins)
        return column, row


def answers(digest: Digest, round: int) -> Answers:
    """The clients of a closed round, or of the one that is open."""
    before, upto = span(digest, round)
    offers = columns_of(digest.reader, ("client", "offer", "rate"), ("offer",), before, upto)
    if not offers:
        raise InputError("round", round, "one that was offered")
    aliases, texts, rates = zip(*offers, strict=True)
    offer = from_record(json.loads(f"[{','.join(texts)}]"), np.array(rates, dtype=np.float64))
    heard = columns_of(digest.reader, ("client", "size", "verdict"), ("answer",), before, upto)
    sizes = {alias: size for alias, size, _ in heard if size is not None}
    paid = dict(columns_of(digest.reader, ("client", "payment"), ("payment",), before, upto))
    size = np.array([sizes.get(alias, np.nan) for alias in aliases], dtype=np.float64)
    units = np.array([paid.get(alias, 0) for alias in aliases], dtype=np.float64) / digest.money.scale
    missing = sum(1 for row in heard if row[2] == "no answer")
    refused = sum(1 for row in heard if row[1] is None) - missing
    return Answers(aliases, np.asarray(offer.payment(offer.limit)), size, units, missing, refused)


def span(digest: Digest, round: int) -> tuple[int, int]:
    """The rows that a round was written in, as (since, upto]."""
    number = [row.round for row in digest.rounds]
    at = int(np.searchsorted(number, round))
    before = digest.rounds[at - 1].seq if at else 0
    return before, digest.rounds[at].seq if at < len(number) else digest.seq


def histogram(of: Answers, round: int) -> dict[str, Any]:
    """How many clients were offered so much and delivered so much."""
    column, row = of.cells
    counts = np.zeros((BINS, BINS), dtype=np.int64)
    there = column >= 0
    np.add.at(counts, (row[there], column[there]), 1)
    money, size = of.edges
    return {
        "round": round,
        "clients": len(of.aliases),
        "answered": int(there.sum()),
        "delivered": int((of.size > 0).sum()),
        "missing": of.missing,
        "refused": of.refused,
        "money": numbers(money),
        "size": numbers(size),
        "counts": counts.tolist(),
    }


def cell(digest: Digest, of: Answers, column: int, row: int) -> dict[str, Any]:
    """Some of the clients of one cell."""
    where = np.flatnonzero((of.cells[0] == column) & (of.cells[1] == row))
    some = where[:LISTED]
    names = names_of(digest.reader, (of.aliases[i] for i in some))
    listed = [
        {
            "client": names.get(of.aliases[i], of.aliases[i]),
            "offered": number(of.offered[i]),
            "size": number(of.size[i]),
            "paid": number(of.paid[i]),
        }
        for i in some
    ]
    return {"clients": listed, "all": int(where.size)}


class Bands:
    """Quantiles over the clients of each round. A closed round never changes, so each is computed once."""

    def __init__(self) -> None:
        self.known: dict[int, dict[str, list[float | None]]] = {}

    def read(
        self, digest: Digest, clients: Callable[[int], Answers], start: int = 1, end: int | None = None
    ) -> dict[str, Any]:
        """Some rounds of these, the last among them; those that are not computed yet are left out."""
        rounds = [row.round for row in digest.rounds if row.round >= start and (end is None or row.round <= end)]
        chosen = [rounds[i] for i in np.unique(np.linspace(0, len(rounds) - 1, BANDS).astype(int))] if rounds else []
        began, ready = time.monotonic(), True
        for round in reversed(chosen):
            if round not in self.known:
                if time.monotonic() - began > PATIENCE:
                    ready = False
                    break
                self.known[round] = _quantiles(clients(round))
        shown = [round for round in chosen if round in self.known]
        kinds = {kind: [self.known[round][kind] for round in shown] for kind in ("offered", "size", "paid")}
        return {"round": shown, "ready": ready, "quantiles": QUANTILES, **kinds}


def _quantiles(of: Answers) -> dict[str, list[float | None]]:
    return {kind: _five(values) for kind, values in (("offered", of.offered), ("size", of.size), ("paid", of.paid))}


def _five(values: Sequence[float] | FloatArray) -> list[float | None]:
    some = np.asarray(values)[~np.isnan(values)]
    return numbers(np.quantile(some, QUANTILES)) if some.size else [None] * len(QUANTILES)
