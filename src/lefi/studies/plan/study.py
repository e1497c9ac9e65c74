"""A study: which mechanisms meet which markets, how long, how often. Read from TOML, unrolled into runs."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import lefi
from lefi.arrays import whole
from lefi.errors import InputError, LefiError, UnknownName
from lefi.models import cost
from lefi.studies.plan.one_run import COLUMNS, Run
from lefi.studies.plan.plugins import fingerprint, is_outside, load_mechanism
from lefi.world.market import Market
from lefi.world.scenarios import SCENARIOS, Settings, scenario

KEEP = 100  # up to this many clients the clients table is written, unless the study says otherwise


class Sweep(BaseModel):
    """One setting and the values that it takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    setting: str
    values: list[Any] = Field(min_length=1)


class Study(BaseModel):
    """What a TOML in `studies/` says. Build with `read` or `build`, which check every name and value."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    title: str = ""
    scenario: str = "paper"
    mechanisms: list[str] = Field(min_length=1)
    rounds: int = 100
    seeds: int = 10
    seed: int = 0
    clients: int = 10
    budget: float | None = None
    deadline: float = 60.0
    settings: dict[str, Any] = {}
    mechanism: dict[str, dict[str, Any]] = {}
    sweep: Sweep | None = None
    keep_clients: bool | None = None

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """The study in a TOML file."""
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError("study", str(path), f"a readable file ({error.strerror})") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LefiError(f"{path} is not TOML: {error}") from None
        try:
            return cls.build(values)
        except LefiError as error:
            raise LefiError(f"{path}: {error}") from None

    @classmethod
    def build(cls, values: Mapping[str, Any]) -> Self:
        """A checked study: every market and every mechanism of it has been made once."""
        _known("key", values, cls.model_fields)
        if isinstance(values.get("sweep"), dict):
            _known("key of [sweep]", values["sweep"], Sweep.model_fields)
        try:
            study = cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            allowed = first["msg"].removeprefix("Input should be ").lower()
            raise InputError(".".join(map(str, first["loc"])), first["input"], allowed) from None
        study._check()
        return study

    def changed(self, **values: Any) -> Self:
        """The same study with these values instead, those that are None left as they were."""
        return self.build(self.model_dump() | {name: value for name, value in values.items() if value is not None})

    @cached_property
    def names(self) -> dict[str, str]:
        """The registered name of each mechanism of the study -> how the study writes it."""
        named = {load_mechanism(spec): spec for spec in self.mechanisms}
        if len(named) < len(self.mechanisms):
            raise InputError("mechanisms", self.mechanisms, "all different")
        return named

    def points(self) -> list[Self]:
        """One study per value of the sweep, none of which sweeps."""
        if self.sweep is None:
            return [self]
        name = self.sweep.setting
        own = name in self._own()
        return [
            self.model_copy(
                update={"sweep": None} | ({name: value} if own else {"settings": self.settings | {name: value}})
            )
            for value in self.sweep.values
        ]

    def runs(self) -> list[Run]:
        """Every (point, mechanism, seed)."""
        return [run for point in self.points() for run in point._runs(self.sweep)]

    def _runs(self, sweep: Sweep | None) -> list[Run]:
        market = self._market()
        content = {
            "accuracy": _content(market.terms.accuracy),
            "cost": _content(cost(self.settings.get("cost", "paper"))),
        }
        swept = {sweep.setting: {**self.settings, **self._own()}[sweep.setting]} if sweep else {}
        shared: dict[str, Any] = {
            "scenario": self.scenario,
            "rounds": self.rounds,
            "clients": self.clients,
            "budget": market.terms.budget,
            "deadline": float(self.deadline),
            "settings": self.settings,
            "keep_clients": self.clients <= KEEP if self.keep_clients is None else self.keep_clients,
            "swept": swept,
        }
        return [
            Run(
                mechanism=name,
                mechanism_settings=self.mechanism.get(name, {}),
                source=spec if is_outside(spec) else None,
                content=content | ({"mechanism": fingerprint(spec)} if is_outside(spec) else {}),
                seed=seed,
                **shared,
            )
            for seed in range(self.seed, self.seed + self.seeds)
            for name, spec in self.names.items()
        ]

    def _own(self) -> dict[str, Any]:
        """The settings of a market that are not the scenario's."""
        return {"clients": self.clients, "budget": self.budget, "deadline": self.deadline}

    def _market(self) -> Market:
        return scenario(self.scenario, **self._own(), **self.settings)

    def _check(self) -> None:
        whole("rounds", self.rounds, low=1)
        whole("seeds", self.seeds, low=1)
        whole("seed", self.seed, low=0)
        if self.scenario not in SCENARIOS:
            raise UnknownName("scenario", self.scenario, SCENARIOS)
        _known("[mechanism.<name>]", self.mechanism, self.names)
        if self.sweep is not None:
            sweepable = [*self._own(), *sorted(set(Settings.model_fields) - set(COLUMNS))]
            _known("setting to sweep", [self.sweep.setting], sweepable)
            if len(set(map(repr, self.sweep.values))) < len(self.sweep.values):
                raise InputError("sweep.values", self.sweep.values, "all different")
        for point in self.points():
            terms = point._market().terms
            for name in self.names:
                lefi.make(name, terms, **self.mechanism.get(name, {}))


def _known(kind: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(kind, name, known)


def _content(model: Any) -> Any:
    return asdict(model) if is_dataclass(model) and not isinstance(model, type) else repr(model)
