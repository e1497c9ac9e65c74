"""All that ever passes between server and clients: Terms, Roster, Offer, Receipt.

weight  alpha_n  [USD]                     rate  beta_n  [1 / thousand samples]
sizes   D_n      [thousand samples]        payment f(D)  [USD]
NaN in sizes = the client did not answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, runtime_checkable

import numpy as np
from typing_extensions import TypeVar

from lefi.arrays import BoolArray, FloatArray, Floats, IntArray, distinct, floats, number, vector, whole
from lefi.display import Series, card, plot
from lefi.errors import InputError
from lefi.models import AccuracyModel
from lefi.payments import named_payment, pays

MARGIN = 1e-9  # of the budget: sums in another order differ in the last digits, and must not pass it


def spendable(budget: float) -> float:
    """What may be promised under a budget: a hair less, so that rounding never overspends.

    >>> lefi.spendable(5.0) < 5.0
    True
    """
    return budget * (1 - MARGIN)


@dataclass(frozen=True)
class Terms:
    """What the server knows before the first round. `payment` is the one way of paying that the job takes.

    `budget` is per round, `total` for the whole job [USD], `rounds` the most that are played; None sets no bound. Where
    `budget` is None it becomes total / rounds.

    >>> lefi.Terms(budget=5.0, accuracy=lefi.accuracy("paper")).in_force(None)
    5.0
    >>> lefi.Terms(None, lefi.accuracy("paper"), total=100.0, rounds=20).budget
    5.0
    """

    budget: float
    accuracy: AccuracyModel
    size_low: float = 0.0
    size_high: float = 10.0
    deadline: float = 60.0
    payment: str = "curve"
    total: float | None = None
    rounds: int | None = None

    if TYPE_CHECKING:  # once made, terms always have a budget per round; only who makes them may leave it out

        def __init__(
            self,
            budget: float | None,
            accuracy: AccuracyModel,
            size_low: float = 0.0,
            size_high: float = 10.0,
            deadline: float = 60.0,
            payment: str = "curve",
            total: float | None = None,
            rounds: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        checked = {
            "total": None if self.total is None else number("total", self.total, above=0),
            "rounds": None if self.rounds is None else whole("rounds", self.rounds, low=1),
        }
        checked |= {
            "budget": number("budget", self._per_round(), above=0),
            "size_low": number("size_low", self.size_low, low=0),
            "size_high": number("size_high", self.size_high, above=self.size_low),
            "deadline": number("deadline", self.deadline, above=0),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)
        if not isinstance(self.accuracy, AccuracyModel):
            raise InputError("accuracy", self.accuracy, "a model with __call__ and slope, see lefi.accuracy")
        object.__setattr__(self, "payment", named_payment(self.payment))

    def _per_round(self) -> float:
        """The budget that was given, or else an equal part of the total."""
        given: float | None = self.budget
        if given is not None:
            return given
        if self.total is None or self.rounds is None:
            raise InputError("budget", None, "USD per round, unless both total and rounds are given")
        return self.total / self.rounds

    def in_force(self, budget: float | None) -> float:
        """The budget of one round: the one given, or the terms' own where none is."""
        return self.budget if budget is None else number("budget", budget, above=0)


@dataclass(frozen=True, eq=False)
class Roster:
    """Who is here this round, and what the server may know of each.

    >>> roster = lefi.Roster(ids=np.array([3, 7]), iid=np.array([1.0, 0.5]), rate=np.array([0.75, 0.75]))
    >>> roster.take(np.array([1])).ids
    array([7])
    """

    ids: IntArray
    iid: FloatArray
    rate: FloatArray

    def __post_init__(self) -> None:
        ids = distinct(self.ids)
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "iid", vector("iid", self.iid, clients=ids.size, low=0, high=1))
        object.__setattr__(self, "rate", vector("rate", self.rate, clients=ids.size, low=np.nextafter(0, 1)))

    def __len__(self) -> int:
        return self.ids.size

    def __repr__(self) -> str:
        return f"Roster({len(self)} clients)"

    def take(self, positions: IntArray) -> Self:
        """The clients at these positions, in this order."""
        return type(self)(self.ids[positions], self.iid[positions], self.rate[positions])


@runtime_checkable
class Offer(Protocol):
    """What the server promises; one entry per client of one roster.

    >>> offer: lefi.Offer = lefi.PriceOffer(price=[0.1, 0.2], limit=[4.0, 5.0])
    >>> len(offer), offer.worst_case()
    (2, 1.4)
    """

    @property
    def limit(self) -> FloatArray:
        """The most that each client is paid for."""
        ...

    def __len__(self) -> int: ...

    def payment(self, sizes: Floats) -> FloatArray:
        """What each client earns for these sizes; 0 where it did not answer (NaN)."""
        ...

    def worst_case(self) -> float:
        """The most that the server can owe in all, whatever the clients do."""
        ...

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """The size in [low, high] that leaves each client the most money under linear cost.

        Where what a client earns hangs on the others, the sizes that are best answers to each other.
        """
        ...

    def to_columns(self) -> dict[str, FloatArray]:
        """Every number of the offer by the name of its column, one row per client; `limit` is one of them."""
        ...

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        """The offer that these columns hold; `rate` belongs to the roster."""
        ...


def in_short(offer: Offer) -> str:
    """An offer in a few words."""
    return f"{type(offer).__name__}({len(offer)} clients, at most {offer.worst_case():.6g} USD)"


@pays("curve")
@dataclass(frozen=True, eq=False)
class CurveOffer:
    """The paper's curve: weight (1 - exp(-rate min(size, limit))).

    >>> offer = lefi.CurveOffer(weight=[1.0, 2.0], rate=[0.75, 0.75], limit=[10.0, 10.0])
    >>> offer.payment(np.array([1.0, np.nan])).round(3)
    array([0.528, 0.   ])
    >>> offer.best_size(marginal_cost=0.1, low=0.0, high=10.0).round(3)
    array([2.687, 3.611])
    """

    weight: FloatArray
    rate: FloatArray
    limit: FloatArray

    def __post_init__(self) -> None:
        weight = vector("weight", np.atleast_1d(floats("weight", self.weight)), low=0)
        clients = weight.size
        if clients == 0:
            raise InputError("clients", 0, "at least 1")
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "rate", vector("rate", self.rate, clients=clients, low=np.nextafter(0, 1)))
        object.__setattr__(self, "limit", vector("limit", self.limit, clients=clients, low=0))

    def __len__(self) -> int:
        return self.weight.size

    def __repr__(self) -> str:
        return in_short(self)

    def payment(self, sizes: Floats) -> FloatArray:
        paid_for = np.fmin(sizes, self.limit)
        earned = -self.weight * np.expm1(-self.rate * paid_for)
        return np.where(np.isnan(sizes), 0.0, earned)

    def worst_case(self) -> float:
        return float(self.payment(self.limit).sum())

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """D = ln(alpha beta / marginal_cost) / beta pushed into [low, min(high, limit)] (problem P0).

        Payment is concave and cost linear, so the stationary point, pushed into the interval, is optimal.
        """
        with np.errstate(divide="ignore"):  # weight 0: log is -inf, the answer is low
            free = (np.log(self.weight) + np.log(self.rate) - np.log(marginal_cost)) / self.rate
        return np.clip(free, low, np.maximum(low, np.minimum(high, self.limit)))

    def to_columns(self) -> dict[str, FloatArray]:
        return {"weight": self.weight, "limit": self.limit}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        return cls(columns["weight"], rate, columns["limit"])


O = TypeVar("O", bound=Offer, default=Any)


@dataclass(frozen=True, eq=False)
class Receipt(Generic[O]):
    """One settled round: who was offered what, what came back, what was paid, what it was good for.

    `budget` is the one in force in that round; None stands for the terms' own.

    >>> market = lefi.scenario("paper", clients=3)
    >>> receipt, = lefi.play(lefi.make("uniform", market.terms), market, rounds=1)
    >>> receipt
    Receipt(round 1: 3 clients, 3 answered, paid 1.49755 of 1.5 USD, accuracy 0.2146)
    >>> receipt.sizes.round(2)
    array([9.19, 8.1 , 8.59])
    """

    round: int
    roster: Roster
    offer: O
    sizes: FloatArray
    payments: FloatArray
    accuracy: float
    budget: float | None = None

    def __post_init__(self) -> None:
        whole("round", self.round, low=1)
        if self.budget is not None:
            object.__setattr__(self, "budget", number("budget", self.budget, above=0))
        sizes = floats("sizes", self.sizes)
        if sizes.shape != (len(self.roster),):
            raise InputError("shape of sizes", sizes.shape, f"({len(self.roster)},)")
        if (sizes < 0).any() or np.isinf(sizes).any():
            raise InputError("sizes", sizes, "finite and >= 0, or NaN for no answer")
        sizes.flags.writeable = False
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "payments", vector("payments", self.payments, clients=len(self.roster), low=0))
        if self.accuracy == self.accuracy:  # NaN: nobody measured it
            number("accuracy", self.accuracy)

    def __repr__(self) -> str:
        of = "" if self.budget is None else f" of {self.budget:g}"
        answered = f"{len(self.roster)} clients, {int(self.answered.sum())} answered"
        return f"Receipt(round {self.round}: {answered}, paid {self.paid:.6g}{of} USD, accuracy {self.accuracy:.4f})"

    def _repr_html_(self) -> str:
        """For notebooks: the round in numbers, and what was paid for which size."""
        of = "" if self.budget is None else f" of {self.budget:g}"
        facts = {"answered": f"{int(self.answered.sum())} of {len(self.roster)} clients"}
        facts |= {"paid": f"{self.paid:.6g}{of} USD", "accuracy": f"{self.accuracy:.4f}"}
        drawn = plot([Series(self.sizes, self.payments)], "size [thousand samples]", "paid [USD]")
        return card(f"Receipt of round {self.round}", facts, drawn)

    @property
    def paid(self) -> float:
        """USD paid in this round."""
        return float(self.payments.sum())

    @property
    def answered(self) -> BoolArray:
        return ~np.isnan(self.sizes)
