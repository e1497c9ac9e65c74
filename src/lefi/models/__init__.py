"""The two fitted models that a job rests on: accuracy of the model, cost of a client's training."""

from lefi.models.accuracy import AccuracyModel, QuadraticAccuracy, accuracy
from lefi.models.cost import LinearCost, cost

__all__ = ["AccuracyModel", "LinearCost", "QuadraticAccuracy", "accuracy", "cost"]
