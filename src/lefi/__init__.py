"""lefi: learn what to pay the clients of a federated-learning job, under a budget."""

from lefi.errors import ContractError, InputError, LefiError, OfferError, UnknownName
from lefi.mechanisms import Mechanism, make, mechanisms, register
from lefi.messages import CurveOffer, Offer, Receipt, Roster, Terms
from lefi.models import AccuracyModel, LinearCost, QuadraticAccuracy, accuracy, cost
from lefi.optimum import oracle
from lefi.rounds import play
from lefi.world.fleet import Fleet, RationalFleet
from lefi.world.market import Market
from lefi.world.scenarios import scenario

__version__ = "0.1.0"

__all__ = [
    "AccuracyModel",
    "ContractError",
    "CurveOffer",
    "Fleet",
    "InputError",
    "LefiError",
    "LinearCost",
    "Market",
    "Mechanism",
    "Offer",
    "OfferError",
    "QuadraticAccuracy",
    "RationalFleet",
    "Receipt",
    "Roster",
    "Terms",
    "UnknownName",
    "accuracy",
    "cost",
    "make",
    "mechanisms",
    "oracle",
    "play",
    "register",
    "scenario",
]
