"""The fitted models that a job rests on: accuracy of the model, by round too, and cost of a client's training."""

from lefi.models.accuracy import AccuracyModel, FittedAccuracy, QuadraticAccuracy, accuracy, register_accuracy
from lefi.models.cost import LinearCost, cost, register_cost
from lefi.models.learning import Learning, learning
from lefi.models.shapes import ExponentialAccuracy, HillAccuracy, LinearAccuracy, PowerAccuracy

__all__ = [
    "AccuracyModel",
    "ExponentialAccuracy",
    "FittedAccuracy",
    "HillAccuracy",
    "Learning",
    "LinearAccuracy",
    "LinearCost",
    "PowerAccuracy",
    "QuadraticAccuracy",
    "accuracy",
    "cost",
    "learning",
    "register_accuracy",
    "register_cost",
]
