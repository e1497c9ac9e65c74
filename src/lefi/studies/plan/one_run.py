"""One run of a study: a mechanism in a market with a seed, and the columns of its table of rounds."""

from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from json import dumps
from typing import Any

import polars as pl

import lefi
from lefi.mechanisms.catalogue import Factory, mechanism_of
from lefi.registry import is_outside
from lefi.studies.plan.code import code_digest
from lefi.world.market import Market
from lefi.world.scenarios import scenario

RENAMED = {"accuracy": "accuracy_model"}  # swept settings whose name is taken by another column
COLUMNS: dict[str, type[pl.DataType]] = (
    {"scenario": pl.String, "mechanism": pl.String, "seed": pl.Int64, "clients": pl.Int64}
    | {"budget": pl.Float64, "deadline": pl.Float64, "round": pl.Int64}
    | {"accuracy": pl.Float64, "paid": pl.Float64, "overspend": pl.Float64, "answered": pl.Int64}
    | dict.fromkeys(("clean", "fair", "best", "judged", "share", "oracle", "bound", "arbitrary"), pl.Float64)
    | dict.fromkeys(("first_best", "surplus", "worst_off"), pl.Float64)
)


@dataclass(frozen=True)
class Run:
    """One mechanism in one market with one seed. The key names its folder: equal settings, equal folder."""

    scenario: str
    mechanism: str  # the label under which it is shown
    seed: int
    rounds: int
    clients: int
    budget: float
    deadline: float
    settings: dict[str, Any]
    mechanism_settings: dict[str, Any]
    keep_clients: bool
    made_by: str = ""  # the mechanism's name, or where one from outside lies; the label where it is empty
    swept: dict[str, Any] = field(default_factory=dict)  # the swept settings and their values at this point
    content: dict[str, Any] = field(default_factory=dict)  # what names only point to: models, the user's code
    total: float | None = None  # USD of the whole job; None sets no bound
    code: str = ""  # digest of the sources of lefi behind it; travels with the run, so that workers agree on its key

    def __post_init__(self) -> None:
        if not self.code:
            object.__setattr__(self, "code", code_digest(self.spec))

    @property
    def key(self) -> str:
        told = asdict(self) | {"made_by": "" if is_outside(self.spec) else self.spec, "version": lefi.__version__}
        if self.total is None:  # runs without a total are those of before there was one
            del told["total"]
        return sha256(dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def spec(self) -> str:
        """How the mechanism is written."""
        return self.made_by or self.mechanism

    @property
    def factory(self) -> Factory:
        return mechanism_of(self.spec)

    @property
    def play(self) -> str:
        """Names what is played, whatever it is labelled and kept as: runs of several studies may have it in common."""
        return replace(self, swept={}, keep_clients=False).key

    @property
    def world(self) -> str:
        """Names the clients that it meets and what they answer to: equal for all mechanisms of a market and seed."""
        named = ("scenario", "seed", "clients", "budget", "deadline", "settings")
        models = {name: value for name, value in self.content.items() if name != "mechanism"}
        return dumps({name: getattr(self, name) for name in named} | {"models": models}, sort_keys=True)

    def market(self) -> Market:
        return scenario(
            self.scenario,
            clients=self.clients,
            budget=self.budget,
            deadline=self.deadline,
            seed=self.seed,
            total=self.total,
            **self.settings,
        )
