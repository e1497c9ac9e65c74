"""What honest clients look like, learned from jobs whose clients are known to be honest; a file, and where it holds.

Fitted once by `calibrate`, from past jobs or from separate data of training size. Half of the jobs teach the scores,
the other half how honest clients spread in them: the same jobs for both would make the spread look too small.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError, LefiError
from lefi.files import refusals
from lefi.trust.features import FEWEST
from lefi.trust.martingale import Spread
from lefi.trust.scores import NAMES, Features, Scorer, Sizing

FORMAT = 1
SHIPPED = Path(__file__).with_name("digits.json")  # `python -m benchmarks.trust reference` writes it
WIDER = 1.3  # times the spread that was found: the next fleet differs. 1.2 accused 1.0% of honest clients, 1.4 lost a
# tenth of those who do a quarter of the work (design fleets, digits)
TRAJECTORIES = 200  # honest clients, at least: the lowest hundredth has to be seen
LAGS = 12  # rounds apart at which honest scores are compared
LENGTHS = (1.0, 2.0, 4.0, 8.0)  # rounds over which a drift may last
LEAST = 0.05  # of the variance is chance, at least
SKEWED = 1.5  # times the skew of any honest job: clients are others than those of the reference
SMOOTH = 2  # rounds on both sides that tell a round's scale with it


class Record(NamedTuple):
    """The rounds of one honest job, from the second on: who was there, and the features of each.

    >>> from lefi.trust import Record
    >>> Record(ids=[np.array([0, 1])], features=[{"claim": np.zeros(2)}]).ids
    [array([0, 1])]
    """

    ids: list[IntArray]
    features: list[Features]


@dataclass(frozen=True, eq=False)
class Reference:
    """Scorer, spreads, and `about`: the model's size, clients, claims and rounds for which it holds.

    >>> from lefi.trust import Reference
    >>> reference = Reference.read("digits")
    >>> reference.refuse(size=10, claims=np.ones(20))
    'the model has 10 weights, the reference is of one with 2410'
    """

    scorer: Scorer
    scales: FloatArray  # (rounds, scores): the spread of honest clients by round
    spreads: tuple[Spread, ...]
    about: dict[str, Any]

    def scaled(self, features: Features, round: int) -> FloatArray:
        """Scores in units of the round's spread; rounds beyond the reference are as its last."""
        return np.asarray(self.scorer.scores(features) / self.scales[min(round, len(self.scales) - 1)])

    def refuse(self, size: int, claims: FloatArray) -> str | None:
        """Why it does not hold for such a round, or nothing."""
        if size != self.about["weights"]:
            return f"the model has {size} weights, the reference is of one with {self.about['weights']}"
        if len(claims) < FEWEST:
            return f"{len(claims)} clients: at least {FEWEST} are needed to tell what is usual"
        low, high = self.about["claims"]
        if claims.min() < 0.5 * low or claims.max() > 2 * high:
            return f"claims from {claims.min():g} to {claims.max():g}: the reference has {low:g} to {high:g}"
        return None

    def unlike(self, job: Record, size: int) -> list[str]:
        """Why it does not hold for a job that was heard: another model, other claims, clients of another skew."""
        claims = np.exp(np.concatenate([features["claim"] for features in job.features]))
        why = self.refuse(size, claims)
        found, known = _skews([job]), self.about.get("skew")
        skewed = known is not None and (found[1] > SKEWED * known[1] or found[0] < known[0] / SKEWED)
        told = f"skew of {found[0]:.3g} to {found[1]:.3g} in the updates: the reference has {known}"
        return [*([why] if why else []), *([told] if skewed else [])]

    def write(self, path: Path) -> None:
        with refusals(path):
            fresh = path.with_suffix(".part")
            fresh.write_text(json.dumps(self._plain(), indent=1) + "\n", encoding="utf-8")
            fresh.replace(path)

    def _plain(self) -> dict[str, Any]:
        sizing = {
            name: {"names": one.names, "gain": one.gain}
            | {part: getattr(one, part).tolist() for part in ("mean", "std", "weights")}
            for name, one in self.scorer.sizing.items()
        }
        slopes = {name: values.tolist() for name, values in self.scorer.slopes.items()}
        told = {"format": FORMAT, "about": self.about, "spreads": self.spreads, "scales": self.scales.tolist()}
        return told | {"sizing": sizing, "slopes": slopes, "widths": self.scorer.widths.tolist()}

    @classmethod
    def read(cls, path: Path | str) -> "Reference":
        """From a file of `lefi trust calibrate`; `digits` is one that comes with lefi."""
        path = SHIPPED if str(path) == SHIPPED.stem else path
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError("reference", str(path), f"a readable file ({error.strerror})") from None
        except ValueError:
            raise LefiError(f"{path} is no reference: it is not JSON") from None
        try:
            if told["format"] != FORMAT:
                raise LefiError(f"{path} is a reference of format {told['format']}, not {FORMAT}")
            sizing = {name: _sizing(one) for name, one in told["sizing"].items()}
            slopes = {name: np.array(values) for name, values in told["slopes"].items()}
            spreads = tuple(Spread(*map(float, one)) for one in told["spreads"])
            return cls(
                Scorer(sizing, slopes, np.array(told["widths"])),
                np.array(told["scales"], float),
                spreads,
                dict(told["about"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise LefiError(f"{path} is no reference of `lefi trust calibrate`: {error!r}") from None


def _sizing(told: dict[str, Any]) -> Sizing:
    mean, std, weights = (np.array(told[part]) for part in ("mean", "std", "weights"))
    return Sizing(tuple(told["names"]), mean, std, weights, float(told["gain"]))


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
    taught, judged = jobs[::2], jobs[1::2]
    scorer = Scorer.fit([features for job in taught for features in job.features])
    rounds = max(len(job.features) for job in jobs)
    scored = [[scorer.scores(features) for features in job.features] for job in judged]
    scales = _scales(scored, rounds)
    spreads = []
    for place in range(len(NAMES)):
        clients = [
            one for job, scores in zip(judged, scored, strict=True) for one in _paths(job, scores, scales, place)
        ]
        spreads.append(_spread(clients))
    claims = np.exp(np.concatenate([features["claim"] for job in jobs for features in job.features]))
    found = {"claims": [float(claims.min()), float(claims.max())], "rounds": rounds, "honest clients": honest}
    found["skew"] = _skews(jobs)
    return Reference(scorer, scales, tuple(spreads), about | found)


def _skews(jobs: Sequence[Record]) -> list[float]:
    """The least and the most that the middle client of a job is skewed: what the last biases take of its update."""
    middles = [float(np.median(np.concatenate([features["skew"] for features in job.features]))) for job in jobs]
    return [min(middles), max(middles)]


def _scales(scored: list[list[FloatArray]], rounds: int) -> FloatArray:
    """By round and score: how far four fifths of honest clients lie from the middle, as standard deviations."""
    scales = np.empty((rounds, len(NAMES)))
    for t in range(rounds):
        near = [scores for job in scored for scores in job[max(0, t - SMOOTH) : t + SMOOTH + 1]]
        values = np.concatenate(near) if near else np.zeros((1, len(NAMES)))
        scales[t] = np.quantile(np.abs(values - np.median(values, axis=0)), 0.8, axis=0) / 1.28
    return np.maximum(scales, 1e-9)


def _paths(job: Record, scores: list[FloatArray], scales: FloatArray, place: int) -> list[FloatArray]:
    """Each client's scores over its rounds."""
    found: dict[int, list[float]] = {}
    for t, (ids, values) in enumerate(zip(job.ids, scores, strict=True)):
        for client, value in zip(ids.tolist(), values[:, place] / scales[t, place], strict=True):
            found.setdefault(client, []).append(float(value))
    return [np.array(path) for path in found.values() if len(path) == len(scores)]


def _spread(paths: list[FloatArray]) -> Spread:
    """From the autocovariance of honest scores. Between clients the lower tail counts: there they are accused."""
    rounds = min(map(len, paths))
    Z = np.array([path[:rounds] for path in paths])
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
    return Spread(mu, WIDER * float(tau), WIDER * float(delta), float(length), WIDER * float(sigma))


def _shares(found: FloatArray, lags: IntArray, length: float) -> tuple[float, FloatArray]:
    """What is between clients and what drifts, none below 0, from the covariance at each lag but the first."""
    X = np.column_stack([np.ones(len(lags) - 1), np.exp(-lags[1:] / length)])
    shares, error = scipy.optimize.nnls(X, found[1:])
    return float(error), shares
