"""Accuracy that one client's data buys: A(D, pi).

D  size   [thousand samples]
pi iid    0..1, 1 = identical label shares everywhere
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar, overload, runtime_checkable

import numpy as np

from lefi.arrays import FloatArray, Floats, floats, number
from lefi.errors import InputError, UnknownName
from lefi.models.presets import find, numbers
from lefi.models.shapes import ExponentialAccuracy, HillAccuracy, LinearAccuracy, PowerAccuracy
from lefi.registry import Registry, made

M = TypeVar("M")


@runtime_checkable
class AccuracyModel(Protocol):
    """Accuracy from sizes and iid, and its slope in size; both elementwise over clients.

    >>> class Saturating:
    ...     def __call__(self, sizes, iid):
    ...         return 0.9 * iid * (1 - np.exp(-sizes))
    ...     def slope(self, sizes, iid):
    ...         return 0.9 * iid * np.exp(-sizes)
    ...
    >>> isinstance(Saturating(), lefi.AccuracyModel)
    True
    >>> lefi.Terms(budget=5.0, accuracy=Saturating()).budget
    5.0
    """

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray: ...

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray: ...


@dataclass(frozen=True)
class QuadraticAccuracy:
    """A(D, pi) = a D^2 + b pi^2 + c D pi + d D + e pi + f, the paper's regression.

    >>> model = lefi.accuracy("paper")
    >>> float(model(5.0, 1.0).round(4)), float(model.slope(5.0, 1.0).round(5))
    (0.2208, 0.01241)
    >>> sizes, iid = np.meshgrid([1.0, 5.0, 10.0], [0.0, 0.5, 1.0])
    >>> round(lefi.QuadraticAccuracy.fit(sizes, iid, model(sizes, iid)).d, 4)
    0.0151
    """

    kind: ClassVar[str] = "quadratic"
    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            number(f"accuracy.{name}", value)

    def __call__(self, sizes: Floats, iid: Floats) -> FloatArray:
        D, pi = np.asarray(sizes, dtype=np.float64), np.asarray(iid, dtype=np.float64)
        return np.asarray(self.a * D**2 + self.b * pi**2 + self.c * D * pi + self.d * D + self.e * pi + self.f)

    def slope(self, sizes: Floats, iid: Floats) -> FloatArray:
        """dA/dD = 2 a D + c pi + d."""
        D, pi = np.asarray(sizes, dtype=np.float64), np.asarray(iid, dtype=np.float64)
        return np.asarray(2 * self.a * D + self.c * pi + self.d)

    @classmethod
    def fit(cls, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """Least squares on measured points."""
        D, pi, A = (floats("points", values).ravel() for values in (sizes, iid, accuracy))
        if not D.size == pi.size == A.size:
            raise InputError("points", f"{D.size} sizes, {pi.size} iid, {A.size} accuracy", "as many of each")
        columns = np.stack([D**2, pi**2, D * pi, D, pi, np.ones_like(D)], axis=1)
        finite = np.isfinite(columns).all() and np.isfinite(A).all()
        if not (D.size >= 6 and finite) or np.linalg.matrix_rank(columns) < 6:
            raise InputError("points", f"{D.size} of them", "finite, with >= 3 sizes and >= 3 iid values apart")
        return cls(*np.linalg.lstsq(columns, A)[0].tolist())

    def refit(self, sizes: Floats, iid: Floats, accuracy: Floats) -> Self:
        """The same shape for nearly the same points."""
        return self.fit(sizes, iid, accuracy)

    def rmse(self, sizes: Floats, iid: Floats, accuracy: Floats) -> float:
        """Root mean square error on measured points."""
        return float(np.sqrt(np.mean((self(sizes, iid) - np.asarray(accuracy)) ** 2)))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


FittedAccuracy = QuadraticAccuracy | LinearAccuracy | ExponentialAccuracy | PowerAccuracy | HillAccuracy
PRESETS = {
    "paper": {"a": -0.000152, "b": 0.071, "c": -0.00117, "d": 0.0151, "e": 0.011, "f": 0.073},
    # A_system of a comment in the paper's source, RMSE 0.019: the whole system's accuracy in one client's terms.
    "paper-system": {
        "a": -4.0438e-5,
        "b": -0.0268435,
        "c": 0.00242842,
        "d": 0.00409433,
        "e": 0.0258827,
        "f": 0.0922588,
    },
}
KINDS: dict[str, type[FittedAccuracy]] = {
    model.kind: model for model in (QuadraticAccuracy, LinearAccuracy, ExponentialAccuracy, PowerAccuracy, HillAccuracy)
}


def _missing(thing: Any) -> str | None:
    lacks = [name for name in ("__call__", "slope") if not callable(getattr(thing, name, None))]
    return f"it has no {' and no '.join(lacks)}" if lacks else None


ACCURACIES: Registry[Any] = Registry("accuracy", _missing)  # of others: models, or classes that make one of nothing


def register_accuracy(name: str) -> Callable[[M], M]:
    """Decorator: make an accuracy model, or a class that makes one, known under this name.

    >>> @lefi.register_accuracy("steep")
    ... class Steep:
    ...     def __call__(self, sizes, iid):
    ...         return 0.9 * np.tanh(sizes) + 0.0 * iid
    ...     def slope(self, sizes, iid):
    ...         return 0.9 / np.cosh(sizes) ** 2 + 0.0 * iid
    ...
    >>> market = lefi.scenario("paper", accuracy="steep")
    >>> type(market.terms.accuracy).__name__
    'Steep'
    """
    return ACCURACIES.register(name)


@overload
def accuracy(name_or_path: Literal["paper"]) -> QuadraticAccuracy: ...
@overload
def accuracy(name_or_path: str | Path) -> Any: ...
def accuracy(name_or_path: str | Path) -> Any:
    """The accuracy model of that name ("paper", "cifar10"), the one in a JSON file, or `file.py:Name` of one's own.

    A JSON file holds `{"accuracy": {"kind": "power", ...}}`; without a kind the six numbers are the quadratic's.

    >>> lefi.accuracy("paper")(np.array([1.0, 10.0]), iid=1.0).round(3)
    array([0.169, 0.279])
    >>> lefi.accuracy("cifar10").kind
    'power'
    """
    name = str(name_or_path)
    if ACCURACIES.has(name):
        found = ACCURACIES.get(name)
        model = made("accuracy", name, found) if isinstance(found, type) else found
        made("accuracy", name, lambda: (model(1.0, 0.5), model.slope(1.0, 0.5)))  # said now, not in the third round
        return model
    return fitted(name_or_path)


def fitted(name_or_path: str | Path) -> FittedAccuracy:
    """The fitted model of that name or in that file."""
    return from_table(*find("accuracy", name_or_path, PRESETS))


def from_table(path: str, table: Mapping[str, Any]) -> FittedAccuracy:
    """The model of such a table: a kind and its coefficients; `path` says where it is from."""
    kind = table.get("kind", "quadratic")
    if kind not in KINDS:
        raise UnknownName(f"kind of accuracy in {path}", kind, KINDS)
    model = KINDS[kind]
    rest = {name: value for name, value in table.items() if name != "kind"}
    return model(**numbers("accuracy", path, rest, tuple(field.name for field in fields(model))))
