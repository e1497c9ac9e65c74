"""How a job stands, read from its ledger: whoever writes it, this service, another one, or a Flower job."""

from typing import Any

from pydantic import BaseModel, Field

from lefi.ledger import Ledger, Money
from lefi.ledger.terms import Purse


class Job(BaseModel):
    """A job as its ledger has it."""

    job: str
    state: str = Field(description="running, paused, stopped or finished")
    served: bool = Field(description="whether this service can play its rounds; other jobs are only shown and ordered")
    mechanism: str | None
    payment: str | None = Field(description="the way of paying")
    settled: int = Field(description="the last round that was paid; 0 before the first")
    budget: float | None = Field(description="what the next round may pay")
    total: float | None
    rounds: int | None
    spent: str = Field(description="what all rounds paid, exact")
    currency: str
    unit: str
    clients: int
    accuracy: float | None = Field(description="of the last round")
    done: str | None = Field(description="why the mechanism wants no further round; what is not paid then is kept")
    row: int = Field(description="the number of the newest row: the id of the newest event")
    terms: dict[str, Any] = Field(description="what the job was begun with")


def state_of(ledger: Ledger, done: str | None = None) -> Job:
    """All from the ledger of one job, but for what its mechanism says."""
    noted, settled, orders = ledger.noted() or {}, ledger.settled, ledger.orders()
    money, purse = Money.of(noted), Purse.of(noted)
    spent, last = ledger.spent(), ledger.closings(after=settled - 1)
    budget, state = None, orders.state
    if purse:
        purse.change(orders.budget)
        purse.pay(spent)
        purse.returned = sum(units for _, units in ledger.returns())
        budget = purse.next()
    rounds = noted.get("rounds")
    played = rounds is not None and settled >= rounds
    if state != "stopped" and (done or played or (purse and purse.empty) or ledger.ended_at()):
        state = "finished"
    return Job(
        job=ledger.job, state=state, served="served" in noted, mechanism=noted.get("mechanism"),
        payment=noted.get("payment"), settled=settled, budget=budget, total=noted.get("total"), rounds=rounds,
        spent=money.text(spent), currency=money.currency, unit=money.unit, clients=ledger.clients(),
        accuracy=last[-1]["accuracy"] if last else None, row=ledger.last_row(), done=done,
        terms={name: value for name, value in noted.items() if name != "served"},
    )  # fmt: skip
