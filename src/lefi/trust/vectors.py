"""Models of any framework as one vector: a torch state dict, a list of arrays, anything with `numpy()`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.trust.features import Layout

Model = Mapping[str, Any] | Sequence[Any]


def parts(model: Model) -> list[FloatArray]:
    """The arrays of a model in their order. Whole numbers, such as counters of batches, are no weights."""
    values = list(model.values()) if isinstance(model, Mapping) else list(model)
    found = [array.astype(np.float64) for array in map(_array, values) if array.dtype.kind == "f"]
    if not found:
        raise InputError("model", f"{len(values)} arrays", "at least one array of floats")
    return found


def flat(model: Model) -> FloatArray:
    """All weights in one vector.

    >>> from lefi.trust import flat
    >>> flat([np.ones((2, 2)), np.zeros(2)])
    array([1., 1., 1., 1., 0., 0.])
    """
    return np.concatenate([part.ravel() for part in parts(model)])


def layout_of(model: Model) -> Layout:
    """Where the parts of the model lie in that vector.

    >>> from lefi.trust import layout_of
    >>> layout_of({"weight": np.ones((2, 3)), "bias": np.zeros(2)})
    Layout(matrices=((0, 2, 3),), bias=(6, 2))
    """
    return Layout.of([part.shape for part in parts(model)])


def _array(value: Any) -> "np.ndarray[Any, Any]":
    if hasattr(value, "detach"):  # a torch tensor: half precision has no counterpart in numpy
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)
