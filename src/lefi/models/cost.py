"""What a round costs a client: C(D) = p D + q + u, computing for training and mobile traffic for the upload.

D  size   [thousand samples]
C  cost   [TFLOP]
u  upload [TFLOP that cost as much]: traffic of x USD is x / price. It takes no computing time.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from lefi.arrays import FloatArray, Floats, floats, number
from lefi.errors import InputError
from lefi.models.presets import find, numbers
from lefi.registry import Registry, made

M = TypeVar("M")


@dataclass(frozen=True)
class LinearCost:
    """C(D) = p D + q + upload with p in TFLOP per thousand samples, q and upload in TFLOP.

    >>> lefi.LinearCost(p=80.0, q=20.0)(np.array([1.0, 5.0]))
    array([100., 420.])
    >>> fitted = lefi.LinearCost.fit([1.0, 2.0, 4.0], [100.0, 180.0, 340.0])
    >>> round(fitted.p, 3), round(fitted.q, 3)
    (80.0, 20.0)
    """

    p: float
    q: float
    upload: float = 0.0

    def __post_init__(self) -> None:
        number("cost.p", self.p, above=0)
        number("cost.q", self.q, low=0)
        number("cost.upload", self.upload, low=0)

    def __call__(self, sizes: Floats) -> FloatArray:
        return np.asarray(self.p * np.asarray(sizes, dtype=np.float64) + (self.q + self.upload))

    def slope(self, sizes: Floats) -> FloatArray:
        """dC/dD = p, everywhere."""
        return np.full(np.shape(sizes), self.p)

    @classmethod
    def fit(cls, sizes: Floats, cost: Floats) -> Self:
        """Least squares on measured points, with q >= 0: no training costs less than nothing."""
        D, C = (floats("points", values).ravel() for values in (sizes, cost))
        if D.size != C.size:
            raise InputError("points", f"{D.size} sizes, {C.size} costs", "as many of each")
        if not (np.isfinite(D).all() and np.isfinite(C).all()) or np.unique(D).size < 2:
            raise InputError("points", f"{D.size} of them", "finite, with >= 2 sizes apart")
        q, p = np.polynomial.polynomial.polyfit(D, C, 1).tolist()
        return cls(p=p, q=q) if q >= 0 else cls(p=float(D @ C / (D @ D)), q=0.0)

    def rmse(self, sizes: Floats, cost: Floats) -> float:
        """Root mean square error on measured points."""
        return float(np.sqrt(np.mean((self(sizes) - np.asarray(cost)) ** 2)))

    def to_dict(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if value or name != "upload"}


PRESETS = {"paper": {"p": 79.1259, "q": 17.6219}}


def _missing(thing: Any) -> str | None:
    made = isinstance(thing, LinearCost) or (isinstance(thing, type) and issubclass(thing, LinearCost))
    return None if made or callable(thing) else "it is no lefi.LinearCost, nor a function that makes one"


COSTS: Registry[Any] = Registry("cost", _missing)  # of others: models, or functions that make one of nothing


def register_cost(name: str) -> Callable[[M], M]:
    """Decorator: make a cost model, or a function that makes one, known under this name.

    >>> phone = lefi.register_cost("phone")(lefi.LinearCost(p=120.0, q=5.0))
    >>> lefi.scenario("paper", cost="phone").fleet.cost == phone
    True
    """
    return COSTS.register(name)


def cost(name_or_path: str | Path) -> LinearCost:
    """The cost model of that name ("paper"), the one in a JSON file, or `file.py:Name` of one's own.

    A JSON file holds `{"cost": {"p": ..., "q": ...}}`, and `"upload"` where uploads cost something.

    >>> lefi.cost("paper")
    LinearCost(p=79.1259, q=17.6219, upload=0.0)
    """
    name = str(name_or_path)
    if COSTS.has(name):
        found = COSTS.get(name)
        model = found if isinstance(found, LinearCost) else made("cost", name, found)
        if not isinstance(model, LinearCost):
            raise InputError(f"cost {name!r}", model, "a lefi.LinearCost")
        return model
    path, table = find("cost", name_or_path, PRESETS)
    return LinearCost(**numbers("cost", path, table, ("p", "q", *(["upload"] if "upload" in table else []))))
