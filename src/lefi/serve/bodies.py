"""What requests carry: jobs, rosters, answers. Columns, not rows: a hundred thousand clients are a few lists."""

import math
import re
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from lefi.arrays import FloatArray, floats
from lefi.books import note
from lefi.errors import InputError, LefiError, UnknownName
from lefi.ledger import Money
from lefi.ledger.entries import roster_of
from lefi.mechanisms.catalogue import by_name, mechanism_of
from lefi.messages import Offer, Roster, Terms
from lefi.models import AccuracyModel, accuracy
from lefi.models.accuracy import ACCURACIES, PRESETS, from_table
from lefi.models.presets import shipped
from lefi.offers.columns import loaded_class
from lefi.spelling import spelled

CLIENT = r"^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$"  # no control, markup, formula or look-alike characters
JOB = r"^[A-Za-z0-9][A-Za-z0-9._:@-]{0,63}$"  # the same, and fit for an address
WORD = r"^[a-z][a-z0-9_]{0,39}$"
KIND = r"^[a-z][a-z0-9_]{0,39}( [a-z]{1,20})?$"  # of an offer: price, served price
SPELLED = (
    r"^[a-z][a-z0-9_]{0,39}(\([a-z0-9_ ,=.()-]{1,200}\))?$"  # a name, or a wrapper around one; no quotes, no paths
)
LAYERS = 4  # wrappers and the mechanism inside: more is a slip, and each costs time
MOST = 1e9  # USD, seconds or thousand samples: more is a slip of the pen

Amount = Annotated[float, Field(gt=0, le=MOST, allow_inf_nan=False)]
Bound = Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Client = Annotated[str, Field(pattern=CLIENT)]
Each = Number | list[Number]  # one number for all, or one for each client
Word = Annotated[str, Field(pattern=WORD)]
Setting = bool | int | Number | str | list[Number] | None


class Body(BaseModel):
    """Nothing is taken that is not named here."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TermsBody(Body):
    """What is agreed before the first round. Either `budget`, or both `total` and `rounds`."""

    budget: Amount | None = Field(None, description="USD per round")
    total: Amount | None = Field(None, description="USD for the whole job")
    rounds: Annotated[int, Field(ge=1, le=10**6)] | None = Field(None, description="the most that are played")
    size_low: Bound = Field(0.0, description="thousand samples")
    size_high: Amount = Field(10.0, description="thousand samples")
    deadline: Amount = Field(60.0, description="seconds that a client has for a round")
    accuracy: str | dict[str, str | Number] = Field("paper", description="a preset, or a kind and its coefficients")

    def made(self, payment: str) -> Terms:
        values = self.model_dump() | {"accuracy": self._model(), "payment": payment}
        return Terms(**values)

    def _model(self) -> AccuracyModel:
        """By name or coefficients; never from a file, for the caller is on another machine."""
        if isinstance(self.accuracy, dict):
            return from_table("terms.accuracy", self.accuracy)
        known = [*PRESETS, *shipped(), *ACCURACIES.known()]
        if self.accuracy not in known:
            raise UnknownName("accuracy", self.accuracy, known)
        return accuracy(self.accuracy)


class JobBody(Body):
    """A new job. The same again changes nothing; another one of the same name is refused."""

    job: Annotated[str, Field(pattern=JOB)]
    mechanism: Annotated[str, Field(pattern=SPELLED)] = Field(
        "waterfill", description="a name of `lefi list`, or a wrapper around one: `pace(price, target=0.5)`"
    )
    settings: dict[Word, Setting] = Field(
        default_factory=dict, description="of the mechanism, or of the outermost wrapper"
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    terms: TermsBody
    currency: Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,10}$")] = "USD"
    unit: Annotated[str, Field(pattern=r"^[0-9.e-]{1,20}$")] = Field("1e-9", description="the smallest amount paid")

    @property
    def money(self) -> Money:
        return Money(self.currency, self.unit)

    def agreed(self) -> Terms:
        for name, value in self.settings.items():
            if isinstance(value, str) and not re.fullmatch(WORD, value):
                raise InputError(f"settings.{name}", value, "a word: no file is read for a caller elsewhere")
        try:
            if len(by_name(self.mechanism)) > LAYERS:
                raise InputError("mechanism", self.mechanism, f"at most {LAYERS} names, one inside the other")
            payment = mechanism_of(spelled(self.mechanism).spec).payment
        except InputError as error:  # of how it is written
            raise InputError("mechanism", self.mechanism, error.allowed) from None
        return self.terms.made(payment)

    def note(self, terms: Terms) -> dict[str, Any]:
        """What the ledger keeps of it: the terms as every job has them, and the body itself for a restart."""
        asked = {"currency": self.currency, "unit": self.unit, "served": self.model_dump_json()}
        return note(self.mechanism, terms, self.settings, self.seed, **asked)


class RosterBody(Body):
    """Who is here. `iid` and `rate` are one number for all, or a list with one for each client."""

    clients: Annotated[list[Client], Field(min_length=1)]
    iid: Each = Field(1.0, description="0..1, 1 = the client has all labels in equal shares")
    rate: Each = Field(0.75, description="curvature of the payment, 1 / thousand samples")
    budget: Amount | None = Field(None, description="USD of this round alone; by default as the job has it")

    def roster(self) -> Roster:
        if len(set(self.clients)) < len(self.clients):
            raise InputError("clients", f"{len(self.clients)} of them", "different from each other")
        return roster_of(self.clients, self._column("iid"), self._column("rate"))

    def _column(self, name: str) -> FloatArray:
        value = getattr(self, name)
        if isinstance(value, list) and len(value) != len(self.clients):
            raise InputError(name, f"{len(value)} numbers", f"one number, or one for each of {len(self.clients)}")
        return np.broadcast_to(floats(name, value), (len(self.clients),))


class OfferBody(Body):
    """An offer as a preview gave it: its kind, and its columns."""

    kind: Annotated[str, Field(pattern=KIND)]
    columns: dict[Word, list[Number | None]]

    def made(self, roster: Roster) -> Offer:
        columns = {name: column(values) for name, values in self.columns.items()}
        for name, values in columns.items():
            if values.size != len(roster):
                raise InputError(f"offer.{name}", f"{values.size} numbers", f"one for each of {len(roster)} clients")
        try:
            made: Offer = loaded_class(self.kind).from_columns(columns, roster.rate)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, LefiError):
                raise
            raise InputError("offer.columns", sorted(columns), f"those of the kind {self.kind}") from None
        return made


class OpenBody(RosterBody):
    """A round to open. `offer`: one that was previewed; by default the mechanism is asked. `bids`: of an auction."""

    offer: OfferBody | None = None
    bids: list[Number | None] | None = Field(None, description="USD per thousand samples, null = no bid")


class AnswersBody(Body):
    """What came back, once, when all is in: who is not named has not answered."""

    clients: list[Client] | None = Field(None, description="whose sizes these are; by default the offers' clients")
    sizes: list[Number | None] = Field(description="thousand samples, null = no answer")
    accuracy: Number | Literal["model"] | None = Field(
        "model", description="what was measured, null = nothing was; by default the model of the terms"
    )


class BudgetBody(Body):
    """Another budget, from the next round on."""

    budget: Amount


class TokenBody(Body):
    """A token that a page keeps in a cookie."""

    token: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,200}$")]


def column(values: list[float | None]) -> FloatArray:
    """Numbers of a request; null is NaN."""
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def listed(values: FloatArray) -> list[float | None]:
    """The same the other way round."""
    return [None if value != value else value for value in np.asarray(values, dtype=np.float64).tolist()]
