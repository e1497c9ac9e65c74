"""What the finished studies left in a results folder, as the figures and the claims read it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.display import Series, card, plot, table
from lefi.errors import LefiError
from lefi.palette import colours
from lefi.studies.plan.paper import EXTRA, PAPER
from lefi.studies.run.heavy import heavy_table
from lefi.studies.run.load import load
from lefi.studies.run.store import MANIFEST, read_manifest


@dataclass(frozen=True, eq=False)
class Finished:
    """One study: its tables (clients without columns where they were not kept) and what its manifests say."""

    name: str
    rounds: pl.DataFrame
    clients: pl.DataFrame
    settings: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def mechanisms(self) -> list[str]:
        return sorted(self.rounds["mechanism"].unique())

    @property
    def labels(self) -> list[str]:
        """The mechanisms in the order of the study."""
        return list(dict.fromkeys(run["run"]["mechanism"] for run in self.runs)) or self.mechanisms

    @property
    def scenario(self) -> str:
        return str(self.rounds["scenario"][0])

    @property
    def seeds(self) -> int:
        return self.rounds["seed"].n_unique()

    @property
    def last(self) -> int:
        """The last round that every run reached."""
        ends = self.rounds.group_by("mechanism", "seed", "clients", "budget", "deadline").agg(pl.col("round").max())
        return int(ends["round"].to_numpy().min())

    def _repr_html_(self) -> str:
        """For notebooks: medians of the last round by mechanism, and accuracy round by round."""
        facts = {"scenario": self.scenario, "runs": f"{self.seeds} seeds, {self.last} rounds"}
        rows, lines, colour = [], [], colours(self.labels)
        for name in self.labels:
            one = self.of(name).group_by("round").agg(pl.col("accuracy", "paid").median()).sort("round")
            rows.append((name, f"{one['accuracy'][-1]:.4f}", f"{one['paid'][-1]:.4g} USD"))
            rounds = one["round"].cast(pl.Float64).to_numpy()
            lines.append(Series(rounds, one["accuracy"].to_numpy(), name, colour[name]))
        head = ("mechanism", "accuracy, last round", "paid, last round")
        return card(f"Study {self.name}", facts, table(head, rows), plot(lines, "round", "accuracy", lines=True))

    def of(self, mechanism: str) -> pl.DataFrame:
        return self.rounds.filter(pl.col("mechanism") == mechanism)

    def final(self) -> pl.DataFrame:
        """The rows of the last round."""
        return self.rounds.filter(pl.col("round") == self.last)


@dataclass(frozen=True, eq=False)
class Results:
    """The studies that were found, by name, and why the others are missing."""

    studies: dict[str, Finished]
    missing: dict[str, str]
    folder: Path | None = None

    def get(self, name: str) -> Finished | None:
        return self.studies.get(name)

    def heavy(self, name: str) -> pl.DataFrame:
        """The table of a heavy study: the one measured here, or the one that ships."""
        return heavy_table(name, self.folder)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Values of one column by seed (first axis) and round or swept setting; NaN where a run is missing."""

    seeds: list[int]
    by: FloatArray
    values: FloatArray

    def at(self, place: float) -> FloatArray:
        """One value per seed."""
        return self.values[:, int(np.flatnonzero(self.by == place)[0])]


def read_results(folder: Path, names: tuple[str, ...] = PAPER, extra: tuple[str, ...] = EXTRA) -> Results:
    """Every finished study of `names` in the folder; one that cannot be read is missing, and it is said why.

    Those of `extra` are read if they are there, and not missed otherwise: results may be from before there were these.
    """
    studies: dict[str, Finished] = {}
    missing: dict[str, str] = {}
    for name in names + extra:
        if not (folder / name / MANIFEST).is_file():
            missing |= {name: "not run yet"} if name in names else {}
            continue
        try:
            studies[name] = read_study(folder, name)
        except LefiError as error:
            missing[name] = str(error)
    return Results(studies, missing, folder)


def read_study(folder: Path | str, name: str) -> Finished:
    """One finished study of the folder.

    >>> from tempfile import mkdtemp
    >>> from lefi.studies import Study, results, run_study
    >>> study, out = Study.build({"name": "mine", "mechanisms": ["uniform"], "rounds": 2, "seeds": 2}), mkdtemp()
    >>> folder = run_study(study, out)
    >>> results(out, "mine").rounds.shape[0]
    4
    """
    folder = Path(folder)
    rounds, clients = load(name, folder)
    told = read_manifest(folder / name)
    runs = [json.loads((folder / name / key / "run.json").read_text(encoding="utf-8")) for key in told["runs"]]
    return Finished(name, rounds, clients, told["study"], told["versions"], runs)


def matrix(frame: pl.DataFrame, value: str, by: str = "round", *, seeds: list[int] | None = None) -> Matrix:
    """One column of one mechanism's rows, spread over seed and `by`; give `seeds` to keep pairs aligned."""
    wide = frame.pivot(on=by, index="seed", values=value, aggregate_function="first", sort_columns=False)
    wanted = sorted(frame["seed"].unique()) if seeds is None else seeds
    whole = pl.DataFrame({"seed": wanted}, schema={"seed": frame.schema["seed"]})
    aligned = whole.join(wide, on="seed", how="left", maintain_order="left").drop("seed")
    places = np.array([float(column) for column in aligned.columns])
    order = np.argsort(places)
    values = aligned.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return Matrix(wanted, places[order], values[:, order])


def series(study: Finished, mechanism: str, value: str) -> dict[int, FloatArray]:
    """A column of the clients table per seed, as (rounds, clients); NaN where a client was away."""
    if study.clients.is_empty():
        return {}
    rows = study.clients.filter(pl.col("mechanism") == mechanism).sort("round", "id")
    return {
        int(seed[0]): part.pivot(on="id", index="round", values=value).drop("round").cast(pl.Float64).to_numpy()
        for seed, part in rows.partition_by("seed", as_dict=True).items()
    }


def binding(study: Finished, mechanism: str, used: float = 0.98) -> dict[int, int | None]:
    """Per seed the first round whose spend reaches `used` of the budget; None where none does."""
    rows = study.of(mechanism).with_columns(reached=pl.col("paid") >= used * pl.col("budget"))
    first = rows.filter("reached").group_by("seed").agg(pl.col("round").min())
    found = dict(zip(first["seed"], first["round"], strict=True))
    return {int(seed): found.get(seed) for seed in sorted(rows["seed"].unique())}
