"""Many markets side by side, as arrays (markets, clients): what `lefi.play` settles one by one, settled at once.

Every client answers as it does alone, to the last bit: the same formulas, and draws from the same streams.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lefi.agent.sight import Job
from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.draws import generator, normal_rows, uniform, uniform_rows
from lefi.errors import InputError
from lefi.messages import CurveOffer
from lefi.world.behaviours import AllOrNothing, Blend, Dropout, Linear, Noisy, OptOut
from lefi.world.behaviours.behaviour import draw_key
from lefi.world.fleet import Fleet, RationalFleet
from lefi.world.market import Market

INSIDE_OUT = (Blend, OptOut, Noisy, Dropout)  # behaviours that are known here, the innermost first
RATIONAL, LINEAR, ALL_OR_NOTHING = range(3)


class Settled(NamedTuple):
    """What came back: sizes (markets, clients), NaN for no answer; of each market what was paid, and its accuracy."""

    sizes: FloatArray
    paid: FloatArray
    accuracy: FloatArray


@dataclass(frozen=True, eq=False)
class Stacked:
    """Markets of as many clients each, under one accuracy model and the same bounds."""

    job: Job
    budget: FloatArray  # (markets,) USD
    ids: IntArray  # this and what follows: (markets, clients)
    iid: FloatArray
    rate: FloatArray
    marginal: FloatArray  # USD per thousand samples
    fixed: FloatArray  # USD per round in which a client takes part
    cap: FloatArray  # thousand samples; NaN where it cannot take part
    kind: IntArray
    wants: FloatArray  # K_n of linear and all-or-nothing clients [USD]
    blended: BoolArray  # (markets,), and what follows
    opts_out: BoolArray
    noise: FloatArray
    dropout: FloatArray
    seeds: IntArray  # of the draws, as in `lefi.play`

    def __len__(self) -> int:
        return self.budget.size

    def repeated(self, times: int) -> Self:
        """Each market that many times in a row, with the same draws."""
        arrays = {name: np.repeat(part, times, axis=0) for name, part in vars(self).items() if name != "job"}
        return type(self)(self.job, **arrays)

    def settle(self, round: int, weight: FloatArray) -> Settled:
        """Ask the clients of all markets, as `Market.settle` does."""
        shape, flat = weight.shape, weight.ravel()
        limit = np.full(flat.size, self.job.size_high)
        offer = CurveOffer(flat, self.rate.ravel(), limit)
        claims = self._bent(self._answers(offer), round)
        with np.errstate(invalid="ignore"):
            sizes = np.where((claims >= 0) & (claims <= self.job.size_high), claims, np.nan)
        paid = offer.payment(sizes.ravel()).reshape(shape).sum(axis=1)
        accuracy = self.job.accuracy(np.nan_to_num(sizes), self.iid).mean(axis=1)
        return Settled(sizes, paid, accuracy)

    def _answers(self, offer: CurveOffer) -> FloatArray:
        """What clients choose by their own rule, before noise and silence."""
        cap, marginal, kind = self.cap.ravel(), self.marginal.ravel(), self.kind.ravel()
        low = self.job.size_low
        best = offer.best_size(marginal, low, np.where(np.isnan(cap), low, cap))
        sizes = np.where(np.isnan(cap), 0.0, best)
        if kind.any():
            most = np.nan_to_num(cap)
            pull = offer.payment(most) / self.wants.ravel()
            linear = np.minimum(most * np.minimum(1, pull), offer.limit)
            stubborn = np.where(pull >= 1, np.minimum(most, offer.limit), 0.0)
            sizes = np.where(kind == LINEAR, linear, np.where(kind == ALL_OR_NOTHING, stubborn, sizes))
        if self.opts_out.any():
            kept = offer.payment(sizes) - (marginal * sizes + self.fixed.ravel())
            home = np.repeat(self.opts_out, self.cap.shape[1]) & (kept < 0)
            sizes = np.where(home, 0.0, sizes)
        return sizes.reshape(self.cap.shape)

    def _bent(self, sizes: FloatArray, round: int) -> FloatArray:
        """With the noise and the silence of this round."""
        lucky = np.flatnonzero((self.noise > 0) | (self.dropout > 0))
        if lucky.size == 0:
            return sizes
        keys = self._keys(lucky, round)
        ids, noise, dropout = self.ids[lucky], self.noise[lucky, None], self.dropout[lucky, None]
        most = np.minimum(self.job.size_high, np.nan_to_num(self.cap[lucky]))
        own = sizes[lucky]
        shaken = np.clip(own * (1 + noise * normal_rows(keys[:, :1], ids)), 0, most)
        own = np.where(noise > 0, shaken, own)
        silent = uniform_rows(keys[:, 1:], ids) < dropout
        bent = sizes.copy()
        bent[lucky] = np.where(silent, np.nan, own)
        return bent

    def _keys(self, lucky: IntArray, round: int) -> NDArray[np.uint64]:
        """The streams of noise and of silence of these markets (markets, 2); markets of one seed share them."""
        found: dict[tuple[int, bool, bool], tuple[int, int]] = {}
        rows = []
        for at in lucky:
            place = int(self.seeds[at]), bool(self.blended[at]), bool(self.noise[at] > 0)
            if place not in found:
                rng = generator(place[0], "behaviour", round)
                if place[1]:
                    draw_key(rng)
                noise = draw_key(rng) if place[2] else 0
                found[place] = noise, draw_key(rng)
            rows.append(found[place])
        return np.array(rows, dtype=np.uint64)


def stack(markets: Sequence[Market], seeds: Sequence[int]) -> Stacked:
    """These markets side by side; a seed for the draws of each, as `lefi.play(..., seed)` takes it."""
    first = markets[0].terms
    job = Job(first.accuracy, first.size_low, first.size_high)
    rows = [_row(market, job) for market in markets]
    if len({row["ids"].size for row in rows}) > 1:
        raise InputError("clients", sorted({row["ids"].size for row in rows}), "as many in every market")
    arrays = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Stacked(job, seeds=np.asarray(seeds, dtype=np.int64), **arrays)


def _row(market: Market, job: Job) -> dict[str, FloatArray]:
    """One market in numbers."""
    terms = market.terms
    if (terms.accuracy, terms.size_low, terms.size_high) != job or terms.payment != "curve":
        raise InputError("market", market, "one accuracy model, the same sizes and payment 'curve' in all")
    around = _around(market.fleet)
    fleet = around[RationalFleet]
    assert isinstance(fleet, RationalFleet)
    clients, means = len(fleet.roster), fleet.means
    blend, noisy, dropout = around.get(Blend), around.get(Noisy), around.get(Dropout)
    kind, wants = _kinds(blend) if isinstance(blend, Blend) else (np.zeros(clients, dtype=np.int64), np.ones(clients))
    numbers = {
        "budget": terms.budget,
        "ids": fleet.roster.ids,
        "iid": fleet.roster.iid,
        "rate": fleet.roster.rate,
        "marginal": means.marginal_cost,
        "fixed": fleet.price * (fleet.cost.q + fleet.cost.upload),
        "cap": means.cap,
        "kind": kind,
        "wants": wants,
        "blended": blend is not None,
        "opts_out": OptOut in around,
        "noise": noisy.r if isinstance(noisy, Noisy) else 0.0,
        "dropout": dropout.r if isinstance(dropout, Dropout) else 0.0,
    }
    return {name: np.asarray(value) for name, value in numbers.items()}


def _around(fleet: Fleet) -> dict[type, Fleet]:
    """The fleet and its behaviours by type."""
    found: dict[type, Fleet] = {}
    order = [*reversed(INSIDE_OUT)]
    while isinstance(fleet, INSIDE_OUT) and type(fleet) in order:
        found[type(fleet)] = fleet
        order = order[order.index(type(fleet)) + 1 :]
        fleet = fleet.fleet
    if not isinstance(fleet, RationalFleet):
        known = ", ".join(behaviour.__name__ for behaviour in INSIDE_OUT)
        raise InputError("fleet", fleet, f"rational clients inside {known}, in this order; see lefi.gym.MarketEnv")
    return found | {RationalFleet: fleet}


def _kinds(blend: Blend) -> tuple[IntArray, FloatArray]:
    """Which rule each client follows, and K_n of those that have one."""
    codes, wants = [], []
    for make in blend.kinds:
        one = make(blend.fleet)
        if not isinstance(one, RationalFleet | Linear | AllOrNothing):
            raise InputError("kinds", type(one).__name__, "rational, linear or all_or_nothing")
        codes.append(
            LINEAR if isinstance(one, Linear) else ALL_OR_NOTHING if isinstance(one, AllOrNothing) else RATIONAL
        )
        low, high = (1.0, 1.0) if isinstance(one, RationalFleet) else one.scale
        stream = 0 if isinstance(one, RationalFleet) else one.key
        wants.append(low + (high - low) * uniform(stream, blend.roster.ids))
    kind = blend.kind
    return np.array(codes)[kind], np.stack(wants)[kind, np.arange(kind.size)]
