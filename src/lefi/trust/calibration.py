"""How a reference is learned from jobs whose clients are known to be honest: past jobs, or separate data of such size.

Every job is scored by what the others teach: scores learned from the same job would make its spread look too small.
How much wider than found honest clients are taken to spread is no constant either. It is widened until clients of
jobs that taught nothing are accused seldom enough.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.errors import InputError
from lefi.trust.martingale import Spread, log_evidence
from lefi.trust.reference import Record, Reference, skews
from lefi.trust.scores import NAMES, Features, Scorer

TRAJECTORIES = 200  # honest clients, at least: the lowest hundredth has to be seen
FOLDS = 5  # parts of the jobs; each is scored by what the others teach
NEAR = 3  # a round is like those up to a third of its number away: a model learns ever more slowly
ALPHA = 0.01  # the chance of accusation at which spreads are widened
KEPT = 0.5  # of it is for jobs in which cheats blur what is usual: there are none in a reference
STEP = 1.05  # by which a spread is widened at a time
LAGS = 12  # rounds apart at which honest scores are compared
LENGTHS = (1.0, 2.0, 4.0, 8.0)  # rounds over which a drift may last
LEAST = 0.05  # of the variance is chance, at least


def calibrate(jobs: Sequence[Record], about: dict[str, Any]) -> Reference:
    """The reference of these honest jobs. `about` says `weights`, the size of the model, and more if you like.

    >>> from lefi.trust import calibrate
    >>> calibrate([], {"weights": 650})
    Traceback (most recent call last):
    ...
    lefi.errors.InputError: jobs is '0 with 0 clients': it must be at least 2, with 200 clients in all
    """
    honest = sum(len(np.unique(np.concatenate(job.ids))) for job in jobs)
    if len(jobs) < 2 or honest < TRAJECTORIES:
        raise InputError(
            "jobs", f"{len(jobs)} with {honest} clients", f"at least 2, with {TRAJECTORIES} clients in all"
        )
    rows = [job.features for job in jobs]
    scored = _judged_by_others(rows)
    rounds = max(map(len, rows))
    paths = _paths(jobs, scored)
    spreads = _widened(paths, [_spread(paths[:, :, place]) for place in range(len(NAMES))])
    claims = np.exp(np.concatenate([features["claim"] for job in jobs for features in job.features]))
    found = {"claims": [float(claims.min()), float(claims.max())], "rounds": rounds, "honest clients": honest}
    return Reference(_scorers(rows, rounds), tuple(spreads), about | found | {"skew": skews(jobs)})


def _judged_by_others(rows: list[list[Features]]) -> list[list[FloatArray]]:
    """The scores of each job's rounds, by scorers that the other parts of the jobs taught."""
    folds = min(FOLDS, len(rows))
    scored: list[list[FloatArray]] = [[] for _ in rows]
    for fold in range(folds):
        taught = _scorers([job for place, job in enumerate(rows) if place % folds != fold], max(map(len, rows)))
        for place in range(fold, len(rows), folds):
            scored[place] = [scorer.scores(one)[0] for scorer, one in zip(taught, rows[place], strict=False)]
    return scored


def _scorers(rows: list[list[Features]], rounds: int) -> tuple[Scorer, ...]:
    return tuple(Scorer.fit(_near(rows, t)) for t in range(rounds))


def _near(rows: Sequence[Sequence[Any]], t: int) -> list[Any]:
    """What there is of a round and of those like it, in all jobs; of the last there is where no job is as long."""
    t = min(t, max(map(len, rows)) - 1)
    apart = (t + 1) // NEAR
    return [one for job in rows for one in job[max(0, t - apart) : t + apart + 1]]


def _paths(jobs: Sequence[Record], scored: list[list[FloatArray]]) -> FloatArray:
    """(clients, rounds, scores): of those who took part in every round, as far as all jobs reach."""
    found, rounds = [], min(len(job.ids) for job in jobs)
    for job, scores in zip(jobs, scored, strict=True):
        rows: dict[int, list[FloatArray]] = {}
        for t in range(rounds):
            for client, row in zip(job.ids[t].tolist(), scores[t], strict=True):
                rows.setdefault(client, []).append(row)
        found += [one for one in rows.values() if len(one) == rounds]
    if not found:
        raise InputError("jobs", "nobody who took part in every round", "some clients that did")
    return np.array(found)


def _spread(Z: FloatArray) -> Spread:
    """From the autocovariance of honest scores. Between clients the lower tail counts: there they are accused."""
    rounds = Z.shape[1]
    mu = float(np.median(Z))
    centred = Z - mu
    lags = np.arange(min(rounds, LAGS))
    found = np.array([(centred[:, : rounds - lag] * centred[:, lag:]).mean() for lag in lags])
    fits = [(*_shares(found, lags, length), length) for length in LENGTHS]
    _, shares, length = min(fits, key=lambda fit: fit[0])
    tau, delta = np.sqrt(shares)
    sigma = np.sqrt(max(found[0] - shares.sum(), LEAST * found[0]))
    means = Z.mean(axis=1)
    honest = np.sqrt(Spread(mu, tau, delta, length, sigma).covariance(rounds).mean())  # of a client's mean
    tail = max((mu - np.quantile(means, share)) / deviations for share, deviations in ((0.01, 2.33), (0.05, 1.645)))
    tau = np.sqrt(max(tau**2 + max(tail**2 - honest**2, 0.0), LEAST))
    wider = max(1.0, 1 / np.sqrt(tau**2 + delta**2 + sigma**2))
    return Spread(mu, float(wider * tau), float(wider * delta), float(length), float(wider * sigma))


def _shares(found: FloatArray, lags: IntArray, length: float) -> tuple[float, FloatArray]:
    """What is between clients and what drifts, none below 0, from the covariance at each lag but the first."""
    X = np.column_stack([np.ones(len(lags) - 1), np.exp(-lags[1:] / length)])
    shares, error = scipy.optimize.nnls(X, found[1:])
    return float(error), shares


def _widened(paths: FloatArray, spreads: list[Spread]) -> list[Spread]:
    """Each score's spread, until few enough of these clients are accused; the score that accuses most is widened.

    (k + 1) / (n + 1) bounds the chance that one more such client is among those k of n: few clients, wider spreads.
    """
    ever = np.array([_ever(paths[:, :, place], one) for place, one in enumerate(spreads)])
    while ever.any() and (ever.any(axis=0).sum() + 1) / (len(paths) + 1) > (1 - KEPT) * ALPHA:
        place = int(ever.sum(axis=1).argmax())
        mu, tau, delta, length, sigma = spreads[place]
        spreads[place] = Spread(mu, STEP * tau, STEP * delta, length, STEP * sigma)
        ever[place] = _ever(paths[:, :, place], spreads[place])
    return spreads


def _ever(z: FloatArray, spread: Spread) -> BoolArray:
    """Whether the evidence against each client has ever reached what accuses it."""
    enough = np.log(len(NAMES) / ALPHA)
    return np.any([log_evidence(z[:, :last], spread) >= enough for last in range(1, z.shape[1] + 1)], axis=0)
