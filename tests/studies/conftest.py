"""Made-up finished studies whose outcome is known, and a small real results folder."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from lefi.studies.plan.paper import BEYOND
from lefi.studies.plan.study import Study
from lefi.studies.run import record
from lefi.studies.run.results import Finished
from lefi.studies.run.runner import run_studies

ORACLE, ARBITRARY, BUDGET = 0.30, 0.20, 5.0


class At(NamedTuple):
    """Where a made-up number stands: `value` is that of the swept setting."""

    seed: int
    round: int
    value: float = 0.0
    client: int = 0


Rule = Callable[[At], float] | float
MakeStudy = Callable[..., Finished]


def make(
    name: str,
    judged: dict[str, Rule],
    *,
    scenario: str = "paper",
    sweep: str | None = None,
    values: Sequence[float] = (0.0,),
    rounds: int = 40,
    seeds: int = 10,
    binds: int = 6,
    weights: Rule | None = None,
    sizes: Rule | None = None,
    clients: int = 4,
    seconds: float = 1.0,
) -> Finished:
    """A study in which each mechanism reaches exactly what `judged` says; the budget is spent from round `binds` on."""
    rows = [
        _row(scenario, mechanism, At(seed, round, value), sweep, read(reach, At(seed, round, value)), round >= binds)
        for mechanism, reach in judged.items()
        for seed in range(seeds)
        for value in values
        for round in range(1, rounds + 1)
    ]
    table = (
        pl.DataFrame()
        if weights is None
        else _clients(At(seeds, rounds, client=clients), weights, weights if sizes is None else sizes)
    )
    runs = [
        {
            "run": {"mechanism": mechanism, "clients": value, "rounds": rounds},
            "versions": {},
            "seconds": seconds * rounds,
        }
        for mechanism in judged
        for value in values
    ]
    settings = {"sweep": {"setting": sweep, "values": list(values)}} if sweep else {}
    return Finished(name, pl.DataFrame(rows), table, settings, {"lefi": "0"}, runs)


def read(rule: Rule, at: At) -> float:
    return float(rule) if isinstance(rule, int | float) else rule(at)


def _clients(ends: At, weights: Rule, sizes: Rule) -> pl.DataFrame:
    """Rows for every seed, round and client below `ends`."""
    places = [
        At(seed, round, client=client)
        for seed in range(ends.seed)
        for round in range(1, ends.round + 1)
        for client in range(ends.client)
    ]
    return pl.DataFrame(
        [
            {"seed": at.seed, "mechanism": "lefi", "round": at.round, "id": at.client}
            | {"weight": read(weights, at), "size": read(sizes, at)}
            for at in places
        ]
    )


def _row(scenario: str, mechanism: str, at: At, sweep: str | None, got: float, full: bool) -> dict[str, object]:
    row: dict[str, object] = {"scenario": scenario, "mechanism": mechanism, "seed": at.seed, "round": at.round}
    row |= {"clients": 10, "budget": BUDGET, "deadline": 60.0, "paid": BUDGET if full else 1.0, "overspend": 0.0}
    row |= dict.fromkeys(("accuracy", "clean", "fair", "best", "judged"), got)
    row |= {"oracle": ORACLE, "bound": ORACLE, "arbitrary": ARBITRARY, "answered": 10}
    row |= {"share": (got - ARBITRARY) / (ORACLE - ARBITRARY)}
    return row | ({sweep: int(at.value) if sweep == "clients" else float(at.value)} if sweep else {})


@pytest.fixture(autouse=True)
def _nothing_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """The marks and the last play of a test are gone after it."""
    monkeypatch.setattr(record, "_last", ("", {}))
    monkeypatch.setattr(record, "_played", record._Play("", [], [], []))


@pytest.fixture
def make_study() -> MakeStudy:
    return make


@pytest.fixture(scope="session")
def small_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All studies of `lefi paper`, small: 3 seeds, 24 rounds; those beyond the paper smaller still, with waterfill."""
    out = tmp_path_factory.mktemp("results")
    shared = {"mechanisms": ["lefi", "bara", "random", "uniform"], "rounds": 24, "seeds": 3, "clients": 4}
    beyond = shared | {"mechanisms": ["lefi", "waterfill", "uniform"], "rounds": 6, "seeds": 2, "keep_clients": False}
    sweeps = {"clients": [3, 6], "budget": [0.5, 2.0], "deadline": [10.0, 60.0]}
    studies = [
        Study.build({**shared, "name": "convergence", "scenario": "paper"}),
        Study.build({**shared, "name": "mixed", "scenario": "mixed"}),
        *(
            Study.build({**shared, "name": name, "sweep": {"setting": name, "values": values}, "keep_clients": False})
            for name, values in sweeps.items()
        ),
        *(Study.build({**beyond, "name": name, "scenario": name.removeprefix("scenario_")}) for name in BEYOND),
    ]
    run_studies(studies, out)
    return out
