"""Who holds which samples: label shares from a Dirichlet, exact sizes, no sample with two clients while it lasts.

pi  (n,)     iid, 0..1                       c = w pi / (1 - pi)  Dirichlet parameter of each label
w   (C,)     share of the label in the whole data, times C: 1 where labels are balanced
G   (n, C)   Gamma(c) draws, one per label   share = G / sum G ~ Dirichlet(c)
For small c a Gamma(c) draw underflows, so it is kept as log G with G = Gamma(c + 1) U^(1/c). Both draws are quantiles
of uniforms that depend on (seed, client) alone: the same client is compared at every size and every iid, and pi = 0
(one label) and pi = 1 (the shares of the whole data) are the limits and not exceptions.

Samples of a label are dealt like cards, in groups that stay together (frames that show one thing; else each sample is
a group): client k of n gets groups k, k + n, ... of a shuffled order. Who needs more takes groups that nobody touched.
Only when the label has run out are samples taken that another client holds too, and then one's own again. `overlap`
lets every client draw from the whole label instead, whatever the others hold.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from lefi.arrays import FloatArray, Floats, IntArray, vector
from lefi.draws import generator, key, uniform
from lefi.errors import InputError


@dataclass(frozen=True, eq=False)
class Partition:
    """Samples of each client: row n of `samples` holds counts[n] indices into the training set, then zeros.

    `repeats`: how many of a client's samples it holds twice, or a client before it holds too.
    """

    samples: NDArray[np.int32]
    counts: IntArray
    shares: FloatArray
    distance: FloatArray
    repeats: IntArray

    @property
    def clients(self) -> int:
        return self.counts.size


def label_shares(iid: Floats, overall: FloatArray, seed: int, ids: IntArray) -> FloatArray:
    """Shares of each label (n, classes) in a client's data; `overall` those in the whole data, ids address clients."""
    classes = overall.size
    pi = vector("iid", iid, clients=ids.size, low=0, high=1)[:, None]
    draws = uniform(key(seed, "label shares"), ids, 2 * classes).T
    body, tail = draws[:, :classes], np.log(draws[:, classes:]) / (w := overall * classes)
    tail -= tail.max(axis=1, keepdims=True)
    inner = np.clip(pi, 1e-300, 1 - 2**-53)  # the limits 0 and 1 are put in below
    c = inner / (1 - inner)
    with np.errstate(over="ignore"):
        log_gamma = np.log(gammaincinv(w * c + 1, body)) + tail / c
    shares = np.exp(log_gamma - log_gamma.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.where(pi == 1, overall, np.where(pi == 0, tail == 0, shares))


def whole_counts(shares: FloatArray, counts: IntArray) -> IntArray:
    """Samples per label (n, classes) that add up to each client's count exactly (largest remainders)."""
    exact = shares * counts[:, None]
    lower = np.floor(exact).astype(np.int64)
    left = counts - lower.sum(axis=1)
    rank = np.argsort(np.argsort(-(exact - lower), axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(lower + (rank < left[:, None]))


class Partitioner:
    """Draws partitions of one training set. `groups` says which samples stay with one client."""

    def __init__(self, labels: IntArray, seed: int, *, groups: IntArray | None = None, overlap: bool = False) -> None:
        self.seed, self.overlap = seed, overlap
        self.classes = int(labels.max()) + 1
        self.overall = np.bincount(labels, minlength=self.classes) / labels.size
        together = np.arange(labels.size) if groups is None else groups
        self._labels = [self._deck(label, np.flatnonzero(labels == label), together) for label in range(self.classes)]

    def _deck(self, label: int, samples: IntArray, together: IntArray) -> "Deck":
        """The samples of a label, its groups in the order in which they are dealt."""
        samples = samples[np.argsort(together[samples], kind="stable")]
        starts = np.flatnonzero(np.diff(together[samples], prepend=-1))
        sizes = np.diff(starts, append=samples.size)
        order = generator(self.seed, "samples", label).permutation(starts.size)
        return Deck(samples.astype(np.int32), starts[order], sizes[order])

    def draw(self, counts: IntArray, iid: Floats, ids: IntArray | None = None) -> Partition:
        """That many samples for each client, at its own iid. The order of the clients does not matter."""
        counts = np.asarray(counts, dtype=np.int64)
        if counts.ndim != 1 or counts.size == 0 or counts.min() < 0:
            raise InputError("counts", counts, "samples per client, >= 0")
        ids = np.arange(counts.size) if ids is None else ids
        per_label = whole_counts(label_shares(iid, self.overall, self.seed, ids), counts)
        held = self._held(per_label, ids)
        samples = np.zeros((counts.size, max(1, int(counts.max()))), dtype=np.int32)
        for row, client in enumerate(ids.tolist()):
            samples[row, : counts[row]] = generator(self.seed, "order", client).permutation(np.concatenate(held[row]))
        shares = per_label / np.maximum(counts, 1)[:, None]
        distance = np.where(counts > 0, np.abs(shares - self.overall).sum(axis=1) / 2, 0.0)
        return Partition(samples, counts, shares, distance, _repeats(samples, counts))

    def _held(self, per_label: IntArray, ids: IntArray) -> list[list[NDArray[np.int32]]]:
        """For each client what it holds of each label."""
        clients = np.argsort(ids, kind="stable")
        held: list[list[NDArray[np.int32]]] = [[] for _ in ids]
        for label, deck in enumerate(self._labels):
            if self.overlap:
                every = [generator(self.seed, "samples", label, int(client)) for client in ids[clients]]
                parts = [deck.frames(rng.permutation(deck.sizes.size)) for rng in every]
            else:
                parts = deck.dealt(per_label[clients, label])
            for client, part in zip(clients, parts, strict=True):
                held[client].append(np.resize(part, int(per_label[client, label])))
        return held


class Deck(NamedTuple):
    """The samples of one label: group g is samples[starts[g]] and the sizes[g] - 1 after it."""

    samples: NDArray[np.int32]
    starts: IntArray
    sizes: IntArray

    def frames(self, groups: IntArray) -> NDArray[np.int32]:
        """All samples of these groups."""
        sizes = self.sizes[groups]
        before = np.cumsum(sizes) - sizes
        return self.samples[np.repeat(self.starts[groups] - before, sizes) + np.arange(sizes.sum())]

    def dealt(self, wanted: IntArray) -> list[NDArray[np.int32]]:
        """What each client holds: of its own deal, then of what nobody touched, then of what others hold."""
        clients, groups = wanted.size, np.arange(self.sizes.size)
        holder = np.full(groups.size, -1)
        own = [self._first(groups[client::clients], int(wanted[client])) for client in range(clients)]
        for client in range(clients):
            holder[own[client]] = client
        for client in range(clients):
            lacks = int(wanted[client] - self.sizes[own[client]].sum())
            if lacks > 0:
                more = self._first(np.flatnonzero(holder < 0), lacks)
                holder[more] = client
                short = lacks > self.sizes[more].sum()
                own[client] = np.concatenate(
                    [own[client], more, *([np.flatnonzero(holder != client)] if short else [])]
                )
        return [self.frames(mine) for mine in own]

    def _first(self, groups: IntArray, samples: int) -> IntArray:
        """As many of these groups as hold that many samples."""
        return groups[: int(np.searchsorted(np.cumsum(self.sizes[groups]), samples)) + 1] if samples > 0 else groups[:0]


def _repeats(samples: NDArray[np.int32], counts: IntArray) -> IntArray:
    """How many samples of each client are held twice, by itself or by a client before it."""
    rows = np.repeat(np.arange(counts.size), counts)
    held = np.concatenate([row[:count] for row, count in zip(samples, counts, strict=True)])
    _, first = np.unique(held, return_index=True)
    return np.asarray(counts - np.bincount(rows[first], minlength=counts.size))
