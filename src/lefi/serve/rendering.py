"""What replies carry, as JSON, and the schemas of it for the OpenAPI file."""

import json
from typing import Any

from pydantic import BaseModel, Field

from lefi.ledger import Answer, Money
from lefi.offers.columns import kind_of
from lefi.serve.bodies import listed
from lefi.serve.live import Offered, Settled


class OfferTable(BaseModel):
    """An offer: its kind, and for each column one number per client; null stands for none."""

    kind: str
    columns: dict[str, list[float | None]]


class Offers(BaseModel):
    """The offers of a round, or of a preview. Sizes are thousand samples, money is in the job's currency."""

    job: str
    round: int
    state: str = Field(description="preview, open or settled")
    repeated: bool = Field(description="whether this was written before: nothing has changed")
    budget: float = Field(description="what this round may pay")
    most: float = Field(description="what these offers can cost, whatever the clients do")
    clients: list[str]
    offer: OfferTable
    left_out: list[str] = Field(description="clients that get no offer: blocked, or paid all that their cap allows")


class Stray(BaseModel):
    """An answer of somebody without an offer, or a second one."""

    client: str
    claim: str | None
    verdict: str


class Payments(BaseModel):
    """A round that is paid and closed; one entry per offer, in their order."""

    job: str
    round: int
    repeated: bool = Field(description="whether this was written before: nothing has changed")
    clients: list[str]
    verdicts: list[str]
    sizes: list[float | None] = Field(description="what counts, thousand samples; null = nothing")
    units: list[int] = Field(description="what is paid, in whole units")
    payments: list[float] = Field(description="the same in the currency, before rounding down")
    paid: str = Field(description="the sum, exact")
    currency: str
    unit: str
    accuracy: float | None
    refused: list[Stray]


def dumped(told: Any) -> bytes:
    return json.dumps(told, allow_nan=False, separators=(",", ":")).encode()


def offers(job: str, found: Offered) -> bytes:
    columns = {name: listed(values) for name, values in found.offer.to_columns().items()}
    return dumped({
        "job": job, "round": found.round, "state": found.state, "repeated": found.repeated, "budget": found.budget,
        "most": found.offer.worst_case(), "clients": found.names,
        "offer": {"kind": kind_of(found.offer), "columns": columns}, "left_out": found.left_out,
    })  # fmt: skip


def payments(job: str, found: Settled, money: Money) -> bytes:
    return dumped({
        "job": job, "round": found.round, "repeated": found.repeated, "clients": found.names,
        "verdicts": [answer.verdict for answer in found.answers],
        "sizes": [answer.size for answer in found.answers],
        "units": found.units, "payments": found.payments.tolist(), "paid": money.text(sum(found.units)),
        "currency": money.currency, "unit": money.unit,
        "accuracy": None if found.accuracy != found.accuracy else found.accuracy,
        "refused": [_stray(answer) for answer in found.refused],
    })  # fmt: skip


def _stray(answer: Answer) -> dict[str, str | None]:
    return {"client": answer.client, "claim": answer.claim, "verdict": answer.verdict}
