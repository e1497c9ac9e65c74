"""The contracts of accuracy and cost models, clause by clause."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lefi.messages import Terms
from lefi.models import AccuracyModel, LinearCost
from lefi.testing.clauses import Checked, check, require

IID = np.linspace(0, 1, 5)
STEP = 1e-6  # thousand samples, between the two ends of a numerical slope


def check_accuracy(model: AccuracyModel, *, size_high: float = Terms.size_high) -> Checked:
    """Hold an accuracy model to its contract, over sizes up to `size_high`; raise ContractError where it breaks it.

    >>> from lefi.testing import check_accuracy
    >>> check_accuracy(lefi.accuracy("paper")).clauses[0]
    'it is a model'
    """
    return check(_Subject(model, size_high), ACCURACY)


def check_cost(model: LinearCost) -> Checked:
    """Hold a cost model to its contract; raise ContractError where it breaks it.

    >>> from lefi.testing import check_cost
    >>> check_cost(lefi.LinearCost(p=80.0, q=20.0)).clauses[0]
    'it is linear'
    """
    return check(model, COST)


@dataclass(frozen=True, eq=False)
class _Subject:
    model: AccuracyModel
    size_high: float

    @property
    def sizes(self) -> "np.typing.NDArray[np.float64]":
        return np.linspace(0, self.size_high, 33)[:, None]


def _is_a_model(subject: _Subject) -> None:
    require(isinstance(subject.model, AccuracyModel), "it has no __call__ or no slope")


def _elementwise(subject: _Subject) -> None:
    whole = np.asarray(subject.model(subject.sizes, IID))
    require(whole.shape == (33, 5), f"33 sizes and 5 iid give shape {whole.shape}")
    one = np.asarray(subject.model(float(subject.sizes[7, 0]), float(IID[3])))
    require(np.allclose(one, whole[7, 3], rtol=1e-12), "one client alone gets another accuracy than among others")


def _numbers(subject: _Subject) -> None:
    for name, values in (("accuracy", subject.model(subject.sizes, IID)), ("slope", _slope(subject))):
        require(bool(np.isfinite(values).all()), f"its {name} is not a number everywhere")


def _slope_is_slope(subject: _Subject) -> None:
    sizes = subject.sizes[1:-1]
    ends = [np.asarray(subject.model(sizes + side * STEP, IID)) for side in (-1, 1)]
    numerical = (ends[1] - ends[0]) / (2 * STEP)
    wrong = ~np.isclose(np.asarray(subject.model.slope(sizes, IID)), numerical, rtol=1e-3, atol=1e-7)
    require(not wrong.any(), "its slope is not the slope of its accuracy")


def _leaves_no_trace(subject: _Subject) -> None:
    sizes, iid = subject.sizes.copy(), IID.copy()
    first = np.array(subject.model(sizes, iid))
    require(np.array_equal(sizes, subject.sizes) and np.array_equal(iid, IID), "it changes what it is given")
    require(np.array_equal(first, subject.model(sizes, iid)), "asked twice, it gives two answers")


def _slope(subject: _Subject) -> "np.typing.NDArray[np.float64]":
    return np.asarray(subject.model.slope(subject.sizes[1:], IID))


def _is_linear(model: LinearCost) -> None:
    require(isinstance(model, LinearCost), "it is no lefi.LinearCost")
    sizes = np.linspace(0, 10, 11)
    require(np.allclose(model(sizes), model.p * sizes + model.q + model.upload), "it does not cost p D + q")


def _more_costs_more(model: LinearCost) -> None:
    require(bool((np.diff(model(np.linspace(0, 10, 11))) > 0).all()), "more data does not cost more")


ACCURACY: dict[str, Callable[[_Subject], None]] = {
    "it is a model": _is_a_model,
    "it works client by client": _elementwise,
    "it gives numbers": _numbers,
    "its slope is the slope": _slope_is_slope,
    "asking leaves no trace": _leaves_no_trace,
}
COST: dict[str, Callable[[LinearCost], None]] = {"it is linear": _is_linear, "more costs more": _more_costs_more}
