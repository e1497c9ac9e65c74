"""Hyper-parameters from the fleet's own answers: no optimiser, nothing to tune.

log p(y | x) = -1/2 quad / s - 1/2 logdet - t/2 log(2 pi s), exact and cheap (one sweep), on a small grid.
learn          one set for the fleet: the evidence summed over clients; the signal variance s in closed form.
learn_each     empirical Bayes: the fleet's mixture over an absolute grid (EM), then the likeliest entry per client.
choose         kernel and warp by the mixture's evidence.

voters      clients that take part in a fit, SAMPLE or CROWD of them at most
log_p (n, g)  log evidence of n clients under g sets of hyper-parameters       share (g,)  weight of a set in the fleet
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.draws import uniform
from lefi.surrogate.bank import Bank
from lefi.surrogate.kernels import Hyper
from lefi.surrogate.layout import BIG, NONE

LENGTHSCALES = (2.0, 4.0, 8.0)
NOISES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
DIFFUSIONS = (
    3e-4,
    3e-3,
    3e-2,
    0.3,
)  # of kernel iwp, in units of the answers^2; less would smooth over the kink at a cap
VARIANCES = (1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # of the noise, in units of the answers^2
REFITS = (4, 8, 16, 32, 64)
SAMPLE = 64  # clients that vote on one set; more change nothing and cost time
CROWD = 4096  # clients that vote on a mixture
STEPS = 50  # of EM


def learn(bank: Bank, lengthscales: Sequence[float] = LENGTHSCALES, noises: Sequence[float] = NOISES) -> Hyper:
    """The hyper-parameters with the highest evidence over the clients that have answered at least twice.

    >>> from lefi.surrogate import Bank, learn
    >>> bank, ids = Bank("matern52"), np.arange(4)
    >>> for weight in (0.5, 1.0, 2.0, 4.0):
    ...     bank.observe(ids, np.full(4, weight), np.log1p(weight * (1 + ids)))
    >>> bank.refit(learn(bank))
    >>> bank.hyper.lengthscale
    4.0
    """
    voters = bank.sample(voting(bank, SAMPLE))
    points = int(voters.count.sum())
    if points == 0:
        return bank.hyper
    best, choice = -np.inf, bank.hyper
    for lengthscale, noise in product(lengthscales, noises):
        voters.refit(Hyper(lengthscale, 1.0, noise))
        quad, logdet = voters.fit()
        signal = max(float(quad.sum()) / points, 1e-12)
        evidence = -0.5 * (float(logdet.sum()) + points * np.log(signal))
        if evidence > best:
            best, choice = evidence, Hyper(lengthscale, signal, noise)
    return choice


def learn_each(bank: Bank, grid: Sequence[Hyper] | None = None) -> None:
    """Give every client the entry of the grid that is likeliest for it, given what the fleet is like.

    >>> from lefi.surrogate import Bank, learn_each
    >>> bank, ids = Bank("matern52"), np.arange(4)
    >>> for weight in (0.5, 1.0, 2.0, 4.0):
    ...     bank.observe(ids, np.full(4, weight), np.log1p(weight * (1 + ids)))
    >>> learn_each(bank)
    >>> mean, _ = bank.predict(ids, np.full(4, 2.0))
    >>> mean.round(1)
    array([1.1, 1.6, 1.9, 2.2])
    """
    voters = bank.sample(voting(bank, CROWD))
    if voters.ids.size == 0:
        return
    grid = absolute_grid(bank.sample(voting(bank, SAMPLE))) if grid is None else grid
    share, _ = mixture(evidences(voters, grid))
    order = np.argsort(-share, kind="stable")
    table, share = [grid[i] for i in order], share[order]
    kept = [(hyper, weight) for hyper, weight in zip(table, share, strict=True) if weight > 1e-4 / len(grid)]
    table, log_share = [hyper for hyper, _ in kept], np.log([weight for _, weight in kept])
    log_p = evidences(bank, table)
    bank.refit(table, np.argmax(log_p + log_share, axis=1))


def choose(bank: Bank, candidates: Sequence[tuple[str, str]], origin: float | None = None) -> tuple[str, str]:
    """The (kernel, warp) under which the answers of the fleet are likeliest."""
    voters = bank.sample(voting(bank, SAMPLE))
    if voters.ids.size == 0:
        return candidates[0]

    def score(candidate: tuple[str, str]) -> float:
        twin = voters.copy()
        twin.adopt(*candidate, origin=origin)
        return mixture(evidences(twin, absolute_grid(twin)))[1]

    return max(candidates, key=score)


def absolute_grid(voters: Bank) -> list[Hyper]:
    """(diffusion, noise variance) for kernel iwp, else (lengthscale, noise variance).

    Level and slope of iwp have a wide prior (a learned one pulls short histories to their mean: measured); the signal
    variance of the others is the fleet's. A grid of ratios with each client's own scale would
    trust small samples too much.
    """
    if voters.kernel == "iwp":
        return [Hyper(q ** (-1 / 3), 1.0, v) for q, v in product(DIFFUSIONS, VARIANCES)]
    signal = learn(voters).signal
    return [Hyper(scale, signal, v / signal) for scale, v in product(LENGTHSCALES, VARIANCES)]


def evidences(bank: Bank, grid: Sequence[Hyper]) -> FloatArray:
    """log_p of every client of the bank."""
    table, choice = bank.table, bank.choice
    log_p = np.empty((bank.ids.size, len(grid)))
    for i, hyper in enumerate(grid):
        bank.refit(hyper)
        log_p[:, i] = bank.evidence()
    bank.refit(table, choice if choice.size else None)
    return log_p


def mixture(log_p: FloatArray) -> tuple[FloatArray, float]:
    """Shares of the sets in the fleet by EM, and the log evidence of the whole."""
    peak = log_p.max(axis=1, keepdims=True)
    p = np.exp(log_p - peak)
    share = np.full(p.shape[1], 1 / p.shape[1])
    for _ in range(STEPS):
        member = p * share
        share = (member / member.sum(axis=1, keepdims=True)).mean(axis=0)
    return share, float(np.log(p @ share).sum() + peak.sum())


def voting(bank: Bank, most: int) -> IntArray:
    """Rows of clients that have answered at least twice, at most so many: those whose ids hash lowest.

    In the order of their ids, so that the order in which clients came leaves no trace.
    """
    rows = np.flatnonzero(bank.count >= 2)
    if rows.size > most:
        rows = rows[np.argsort(uniform(0, bank.ids[rows]), kind="stable")[:most]]
    return rows[np.argsort(bank.ids[rows])]


def joined(banks: Sequence[Bank]) -> Bank:
    """One bank of the clients of several small ones (see `Bank.sample`), in the order of their ids."""
    ids = np.concatenate([bank.ids for bank in banks])
    order = np.argsort(ids)
    result = banks[0].sample(np.empty(0, dtype=np.int64))
    result.rows.admit(ids[order])
    parts = [bank.history.columns(np.arange(bank.ids.size)) for bank in banks]
    slots = max(x.shape[1] for x, _, _ in parts)
    columns = [
        np.concatenate([np.pad(a, ((0, 0), (0, slots - a.shape[1])), constant_values=nothing) for a in column])[order]
        for column, nothing in zip(zip(*parts, strict=True), (BIG, NONE, 1.0), strict=True)
    ]
    result.history.weighted = any(bank.history.weighted for bank in banks)
    result.history.fill(ids.size, *columns)
    for name in ("count", "seen", "mean"):
        own = np.concatenate([getattr(bank.history, name)[: bank.ids.size] for bank in banks])
        getattr(result.history, name)[: ids.size] = own[order]
    return result
