"""A study: which mechanisms meet which markets, how long, how often. Read from TOML, unrolled into runs."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import lefi
from lefi.agent.weights import find
from lefi.arrays import whole
from lefi.errors import InputError, LefiError, UnknownName
from lefi.mechanisms.catalogue import layers, name_of, settings_of, spec_of
from lefi.models import cost
from lefi.registry import fingerprint, is_outside
from lefi.spelling import spelled
from lefi.studies.plan.one_run import Run
from lefi.world.drawn import Settings
from lefi.world.learning_market import LearningMarket
from lefi.world.market import Market
from lefi.world.scenarios import SCENARIOS, scenario
from lefi.world.scenarios import settings_of as scenario_settings

KEEP = 100  # up to this many clients the clients table is written, unless the study says otherwise


class Sweep(BaseModel):
    """One setting and the values that it takes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    setting: str
    values: list[Any] = Field(min_length=1)


class Variant(NamedTuple):
    """A mechanism of a study under its label: how it is written, and its settings."""

    spec: str
    settings: dict[str, Any]


class Study(BaseModel):
    """What a TOML in `studies/` says. Build with `read` or `build`, which check every name and value.

    A mechanism is written as its name, as `file.py:Name`, with settings, with a label: `joint = lefi(slope=joint)`. So
    the same one can be there several times. `sweep` is one setting and its values, or two of them: a grid. `control`
    is the mechanism, by its label, that must stay behind: where it keeps up, the study tells nothing. `total` is the
    money of a whole run [USD]: without a budget every round has an equal part of it.

    >>> from lefi.studies import Study
    >>> study = Study.build({"name": "mine", "mechanisms": ["uniform", "exact = lefi(solve=exact)"], "seeds": 3})
    >>> len(study.runs()), list(study.variants)
    (6, ['uniform', 'exact'])
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    title: str = ""
    scenario: str = "paper"
    mechanisms: list[str] = Field(min_length=1)
    control: str | None = None
    rounds: int = 100
    seeds: int = 10
    seed: int = 0
    clients: int | None = None
    budget: float | None = None
    deadline: float | None = None
    total: float | None = None
    settings: dict[str, Any] = {}
    mechanism: dict[str, dict[str, Any]] = {}
    sweep: Sweep | list[Sweep] | None = None
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
        swept = values.get("sweep")
        for sweep in swept if isinstance(swept, list) else [swept]:
            if isinstance(sweep, dict):
                _known("key of [sweep]", sweep, Sweep.model_fields)
        try:
            study = cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            allowed = first["msg"].removeprefix("Input should be ").lower()
            place = ".".join(str(part) for part in first["loc"] if "Sweep" not in str(part))
            raise InputError(place, first["input"], allowed) from None
        study._check()
        return study

    def changed(self, **values: Any) -> Self:
        """The same study with these values instead, those that are None left as they were.

        Other mechanisms are without the control that was named beside those before.
        """
        said = {name: value for name, value in values.items() if value is not None}
        return self.build(self.model_dump() | ({"control": None} if "mechanisms" in said else {}) | said)

    @cached_property
    def variants(self) -> dict[str, Variant]:
        """The mechanisms by label. `[mechanism.<label>]` of the TOML adds settings, by the mechanism's name to all."""
        found: dict[str, Variant] = {}
        for text in self.mechanisms:
            written = spelled(text)
            name = name_of(written.spec)
            label = name if written.label == written.spec else written.label
            if label in found:
                raise InputError("mechanisms", self.mechanisms, f"all different: give one {label!r} a label of its own")
            settings = self.mechanism.get(name, {}) | written.settings | self.mechanism.get(label, {})
            found[label] = Variant(spec_of(written.spec), settings)
        return found

    @property
    def sweeps(self) -> list[Sweep]:
        return [] if self.sweep is None else self.sweep if isinstance(self.sweep, list) else [self.sweep]

    def points(self) -> list[tuple[dict[str, Any], Self]]:
        """The values of the swept settings, and the study at them, which sweeps nothing."""
        names = [sweep.setting for sweep in self.sweeps]
        values = product(*(sweep.values for sweep in self.sweeps))
        return [(swept, self._at(swept)) for swept in (dict(zip(names, point, strict=True)) for point in values)]

    def runs(self) -> list[Run]:
        """Every (point, mechanism, seed)."""
        return [run for swept, point in self.points() for run in point._runs(swept)]

    def _at(self, swept: dict[str, Any]) -> Self:
        """The study with these settings, whosever they are."""
        changes: dict[str, Any] = {"sweep": None, "settings": dict(self.settings), "mechanism": dict(self.mechanism)}
        for name, value in swept.items():
            owner, dot, setting = name.rpartition(".")
            if dot:
                changes["mechanism"][owner] = changes["mechanism"].get(owner, {}) | {setting: value}
            elif name in MARKET:
                changes[name] = value
            else:
                changes["settings"][name] = value
        point = self.model_copy(update=changes)
        point.__dict__.pop("variants", None)  # kept from before the change
        return point

    def _runs(self, swept: dict[str, Any]) -> list[Run]:
        market = self._market()
        shared: dict[str, Any] = {
            "scenario": SCENARIOS.spec_of(self.scenario),
            "rounds": self.rounds,
            "clients": len(market.fleet.roster),
            "budget": market.terms.budget,
            "deadline": market.terms.deadline,
            "total": market.terms.total,
            "settings": self.settings,
            "keep_clients": len(market.fleet.roster) <= KEEP if self.keep_clients is None else self.keep_clients,
            "swept": swept,
        }
        content = self._content(market)
        return [
            Run(
                mechanism=label,
                mechanism_settings=variant.settings,
                made_by="" if variant.spec == label else variant.spec,
                content=content | _outside_code(variant.spec) | _taught(variant.settings),
                seed=seed,
                **shared,
            )
            for seed in range(self.seed, self.seed + self.seeds)
            for label, variant in self.variants.items()
        ]

    def _content(self, market: Market) -> dict[str, Any]:
        """What names only point to: the numbers of models, and the files of code from outside."""
        named = [self.scenario, *map(str, (self.settings.get(name, "") for name in ("accuracy", "cost")))]
        named += [spelled(text).name for text in self.settings.get("behaviours", ())]
        files = {spec: fingerprint(spec) for spec in named if is_outside(spec)}
        models: dict[str, Any] = {"accuracy": market.terms.accuracy, "cost": cost(self.settings.get("cost", "paper"))}
        models |= {"learning": market.learning} if isinstance(market, LearningMarket) else {}
        return {name: _numbers(name, model, self.settings.get(name)) for name, model in models.items()} | files

    def _market(self) -> Market:
        own = {name: getattr(self, name) for name in ("clients", "budget", "deadline", "total")}
        return scenario(self.scenario, **own, rounds=None if self.total is None else self.rounds, **self.settings)

    def _check(self) -> None:
        whole("rounds", self.rounds, low=1)
        whole("seeds", self.seeds, low=1)
        whole("seed", self.seed, low=0)
        SCENARIOS.name_of(self.scenario)
        labels = {*self.variants, *(name_of(variant.spec) for variant in self.variants.values())}
        _known("[mechanism.<name>]", self.mechanism, labels)
        _known("control", [] if self.control is None else [self.control], self.variants)
        if len(self.sweeps) > 2 or len({sweep.setting for sweep in self.sweeps}) < len(self.sweeps):
            raise InputError("sweep", [sweep.setting for sweep in self.sweeps], "one setting, or two that differ")
        for sweep in self.sweeps:
            _known("setting to sweep", [sweep.setting], self._sweepable(labels))
            if len(set(map(repr, sweep.values))) < len(sweep.values):
                raise InputError("sweep.values", sweep.values, "all different")
        for _, point in self.points():
            terms = point._market().terms
            for variant in point.variants.values():
                lefi.make(variant.spec, terms, **variant.settings)

    def _sweepable(self, labels: set[str]) -> list[str]:
        specs = {label: variant.spec for label, variant in self.variants.items()}
        own = [f"{label}.{name}" for label in labels for name in settings_of(specs.get(label, label))]
        return [*MARKET, *Settings.model_fields, *scenario_settings(self.scenario), *own]


MARKET = (
    "clients",
    "budget",
    "deadline",
    "total",
    "scenario",
)  # what can be swept beside settings of scenario and mechanisms


def _known(kind: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(kind, name, known)


def _outside_code(spec: str) -> dict[str, str]:
    """The hashes of the files that a mechanism, and the wrappers around it, come from."""
    hashes = [str(fingerprint(layer)) for layer in layers(spec) if is_outside(layer)]
    return {"mechanism": " ".join(hashes)} if hashes else {}


def _taught(settings: dict[str, Any]) -> dict[str, str]:
    """The hash of the file of weights that a mechanism plays: other weights are other runs."""
    name = settings.get("weights")
    return {"weights": sha256(find(name).read_bytes()).hexdigest()} if isinstance(name, str) else {}


def _numbers(name: str, model: Any, written: Any) -> Any:
    """What a model is, for the key of a run: the numbers of a dataclass, or nothing where its file is known."""
    if is_dataclass(model) and not isinstance(model, type):
        return asdict(model)
    if isinstance(written, str):
        return written
    raise InputError(name, model, "written as file.py:Name in a study, or a dataclass: runs are known by what is in it")
