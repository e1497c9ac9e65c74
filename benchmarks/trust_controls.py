"""What others do about cheats, judged on the same fleets as `lefi.trust`. Controls: they must do worse.

    python -m benchmarks.trust_controls results/trust                # minutes, from what `benchmarks.trust play` played

kang      subjective-logic reputation (Kang et al.): an update that lowers the validation loss is a good deed; out below
          0.5. `kang at 1%`: below what 1% of the reference's honest clients ever fall to
fltrust   mean cosine to the server's own update (FLTrust), below what 1% of the reference's clients ever fall to
shadow    lefi.trust itself, with a reference made of the validation set alone: the server plays clients with half of it
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.trust import FLEETS, ROUNDS, Played, Source, accused, read, trainer
from lefi.arrays import FloatArray
from lefi.opinions import opinion
from lefi.profiling.cheats import Job
from lefi.profiling.honest import record_of
from lefi.trust import Reference, calibrate

ALPHA = 0.01  # of the reference's honest clients that a calibrated control accuses over the whole job
CAUTION, TRUSTING = 0.5, 0.5  # of Kang: bad deeds weigh as good ones, half of the doubt speaks for a client
OUT = 0.5  # reputation below which Kang's server does not take a client
SHADOWS, SEED = 12, 50_000  # jobs that the server plays with its own data, and the first of their seeds
MARKS = (5, 10, 20)

Score = Callable[[Played], FloatArray]  # (rounds, clients), low is suspicious


def kang(played: Played) -> FloatArray:
    """Reputation after each round, from whether updates helped so far."""
    good = np.cumsum(_feature(played, "gain") > 0, axis=0).astype(float)
    rounds = np.arange(1, len(good) + 1, dtype=float)[:, None]
    rows = [opinion(one, of - one, CAUTION).reputation(TRUSTING) for one, of in zip(good, rounds, strict=True)]
    return np.array(rows)


def fltrust(played: Played) -> FloatArray:
    """Mean cosine to the server's own update so far, 0 where it points away."""
    cosine = np.maximum(_feature(played, "cos_own"), 0)
    return np.asarray(np.cumsum(cosine, axis=0) / np.arange(1, len(cosine) + 1)[:, None])


def _feature(played: Played, name: str) -> FloatArray:
    return np.asarray(played.values[:, :, played.names.index(name)])


def below(score: Score, limit: FloatArray | float, played: Played) -> dict[int, int]:
    """The round in which each client first falls below the limit of its round."""
    low = score(played) < np.broadcast_to(np.asarray(limit, float), (len(played.values),))[:, None]
    return {int(client): int(np.argmax(low[:, client])) + 2 for client in np.flatnonzero(low.any(axis=0))}


def calibrated(score: Score, reference: list[Played]) -> FloatArray:
    """Limits by round at which that share of honest clients falls out over the whole job."""
    paths = np.concatenate([score(one) for one in reference], axis=1)
    shares = np.geomspace(1e-5, ALPHA, 60)
    for share in shares[::-1]:
        limit = np.quantile(paths, share, axis=1)
        if (paths < limit[:, None]).any(axis=0).mean() <= ALPHA:
            return np.asarray(limit)
    return np.quantile(paths, shares[0], axis=1)


def shadow() -> Reference:
    """A reference from jobs whose clients own parts of half of the validation set; the other half validates."""
    records = []
    for seed in range(SEED, SEED + SHADOWS):
        job = Job(trainer(Source()), FLEETS["digits"], seed)
        half = len(job.validation) // 2
        pool, job.validation = job.validation[:half], job.validation[half:]
        job.sizes = np.minimum(job.sizes, half)
        job.own = [job.rng.choice(pool, size, replace=False) for size in job.sizes]
        records.append(record_of(job, ROUNDS))
    return calibrate(records, {"weights": 0})


def judged(jobs: Iterator[Played], judges: dict[str, Callable[[Played], dict[int, int]]]) -> list[dict[str, Any]]:
    """Rows: for each control and each kind that cheats all the time, who is out by which round; honest ones too."""
    found: dict[tuple[str, str], list[int]] = {}
    for played in jobs:
        steady = not played.fleet.begins and played.fleet.duty == 1
        for name, judge in judges.items():
            when = judge(played)
            for client, kind in enumerate(played.kinds.tolist()):
                if client != played.leader and (steady or kind == "honest"):
                    found.setdefault((name, kind), []).append(when.get(client, ROUNDS + 1))
    return [
        {"control": name, "kind": kind, "clients": len(rounds)}
        | {f"by {last}": float(np.mean(np.array(rounds) <= last)) for last in MARKS}
        for (name, kind), rounds in sorted(found.items())
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder_of_jobs", type=Path)
    parser.add_argument("--set", default="judged", help="whose jobs are judged")
    parser.add_argument("--every", type=int, default=1, help="only every so many of them")
    options = parser.parse_args()
    reference = list(read(options.folder_of_jobs, "reference"))
    own = shadow()
    judges: dict[str, Callable[[Played], dict[int, int]]] = {
        "kang": lambda played: below(kang, OUT, played),
        "shadow": lambda played: accused(own, played),
    }
    for name, score in (("kang at 1%", kang), ("fltrust at 1%", fltrust)):
        limit = calibrated(score, reference)
        judges[name] = lambda played, score=score, limit=limit: below(score, limit, played)  # type: ignore[misc]
    rows = judged(
        (one for at, one in enumerate(read(options.folder_of_jobs, options.set)) if at % options.every == 0), judges
    )
    (options.folder_of_jobs / "trust_controls.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print("  ".join(f"{value:.3f}" if isinstance(value, float) else f"{value!s:16}" for value in row.values()))


if __name__ == "__main__":
    main()
