"""A contest that is ranked by votes: clients say what others delivered, and nobody votes where it could win.

After Toyoda et al. (2020), where the workers of the next round judge those of the last. Here the clients fall into two
groups with a contest each, and jurors of one group judge the clients of the other. Score: the median of what the jurors
of a client say. No vote moves the prize of who casts it, so saying what one saw is a best answer whatever others say.
As long as most jurors of every client are honest, no lie moves a prize at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from lefi.arrays import FloatArray, Floats, IntArray
from lefi.draws import key, uniform
from lefi.messages import in_short
from lefi.offers.prizes import PrizeOffer
from lefi.payments import pays


@pays("pool", name="votes")
@dataclass(frozen=True, eq=False)
class VoteOffer(PrizeOffer):
    """Prizes for the whole fleet, given in each `group` by its share of the clients.

    `jurors` are ids (clients, jury), `votes` what they say that a client delivered; NaN: no vote.

    >>> from lefi.offers import by_votes
    >>> prizes = lefi.PrizeOffer(10.0, (1,), (1.0,), (0.01, 0.1), [10.0] * 4)
    >>> offer = by_votes(prizes, np.arange(4), seed=1, round=1, jury=1)
    >>> sizes = np.array([1.0, 2.0, 3.0, 4.0])
    >>> offer.counted(offer.honest(np.arange(4), sizes)).payment(sizes)
    array([0. , 2.5, 0. , 7.5])
    """

    shared: ClassVar[bool] = True

    group: IntArray
    jurors: IntArray
    votes: FloatArray

    def __repr__(self) -> str:
        return in_short(self)

    def counted(self, votes: FloatArray) -> Self:
        """The offer after the votes; what is paid follows them."""
        return replace(self, votes=np.asarray(votes, dtype=np.float64))

    def honest(self, ids: IntArray, sizes: FloatArray) -> FloatArray:
        """What jurors who answered say if they say what they saw."""
        present = np.isin(self.jurors, ids[~np.isnan(sizes)])
        return np.where(present, sizes[:, None], np.nan)

    def payment(self, sizes: Floats) -> FloatArray:
        own = np.nan_to_num(np.minimum(np.broadcast_to(sizes, (len(self),)), self.limit))
        said = ~np.isnan(self.votes).all(axis=1)
        score = own.copy()
        score[said] = np.nanmedian(self.votes[said], axis=1)
        score = np.where(own > 0, np.minimum(score, self.limit), 0.0)
        return self._by_group(lambda at, contest: contest.paid(score[at]))

    def effort(self, cost: FloatArray) -> FloatArray:
        return self._by_group(lambda at, contest: contest.effort(cost[at]))

    def _by_group(self, of: Callable[[IntArray, PrizeOffer], FloatArray]) -> FloatArray:
        result = np.empty(len(self))
        for group in np.unique(self.group):
            at = np.flatnonzero(self.group == group)
            result[at] = of(at, self._contest(at))
        return result

    def _contest(self, at: IntArray) -> PrizeOffer:
        part = at.size / len(self)
        counts = tuple(min(max(round(k * part), 1), at.size) for k in self.counts)
        return PrizeOffer(self.total * part, counts, self.shares, self.believed, self.limit[at])

    def to_columns(self) -> dict[str, FloatArray]:
        said = {"group": self.group.astype(np.float64)}
        said |= {f"juror_{j}": self.jurors[:, j].astype(np.float64) for j in range(self.jurors.shape[1])}
        return super().to_columns() | said | {f"vote_{j}": self.votes[:, j] for j in range(self.votes.shape[1])}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        plain = PrizeOffer.from_columns(columns, rate)
        jury = range(sum(name.startswith("juror_") for name in columns))
        jurors, votes = (np.stack([columns[f"{part}_{j}"] for j in jury], axis=1) for part in ("juror", "vote"))
        group = columns["group"].astype(np.int64)
        said = plain.total, plain.counts, plain.shares, plain.believed, plain.limit
        return cls(*said, group, jurors.astype(np.int64), votes)


def by_votes(offer: PrizeOffer, ids: IntArray, seed: int, round: int, jury: int) -> VoteOffer:
    """The same prizes, ranked by votes: groups and jurors are drawn anew for each round, by id.

    >>> from lefi.offers import by_votes
    >>> prizes = lefi.PrizeOffer(10.0, (1,), (1.0,), (0.01, 0.1), [10.0] * 4)
    >>> by_votes(prizes, np.arange(4), seed=1, round=1, jury=2).jurors.shape
    (4, 2)
    """
    group = (uniform(key(seed, "group", round), ids) < 0.5).astype(np.int64)
    jurors = np.full((ids.size, jury), -1, dtype=np.int64)
    for own in np.unique(group):
        at, others = np.flatnonzero(group == own), ids[group != own]
        if others.size == 0:
            continue  # a fleet in one group: nobody may judge it, and what it delivered counts
        for j in range(jury):
            line = others[np.argsort(uniform(key(seed, "juror", round, j), others), kind="stable")]
            place = (uniform(key(seed, "seat", round, j), ids[at]) * line.size).astype(np.int64)
            jurors[at, j] = line[place]
    said = offer.total, offer.counts, offer.shares, offer.believed, offer.limit
    return VoteOffer(*said, group, jurors, np.full(jurors.shape, np.nan))
