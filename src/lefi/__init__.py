"""lefi: learn what to pay the clients of a federated-learning job, under a budget."""

from lefi import draws
from lefi.errors import ContractError, InputError, LefiError, OfferError, UnknownName
from lefi.mechanisms import Mechanism, make, register, register_wrapper, registered
from lefi.messages import CurveOffer, Offer, Receipt, Roster, Terms, spendable
from lefi.models import (
    AccuracyModel,
    Learning,
    LinearCost,
    QuadraticAccuracy,
    accuracy,
    cost,
    learning,
    register_accuracy,
    register_cost,
)
from lefi.offers import AuctionCall, MenuOffer, PoolOffer, PriceOffer, RankOffer
from lefi.optimum import first_best, flat_best, oracle
from lefi.payments import pays
from lefi.planning import Plan, plan
from lefi.rounds import play
from lefi.world.behaviours import Behaviour, register_behaviour
from lefi.world.fleet import Fleet, RationalFleet
from lefi.world.market import Market
from lefi.world.scenarios import register_scenario, scenario

__version__ = "0.1.0"

__all__ = [
    "AccuracyModel",
    "AuctionCall",
    "Behaviour",
    "ContractError",
    "CurveOffer",
    "Fleet",
    "InputError",
    "Learning",
    "LefiError",
    "LinearCost",
    "Market",
    "Mechanism",
    "MenuOffer",
    "Offer",
    "OfferError",
    "Plan",
    "PoolOffer",
    "PriceOffer",
    "QuadraticAccuracy",
    "RankOffer",
    "RationalFleet",
    "Receipt",
    "Roster",
    "Terms",
    "UnknownName",
    "accuracy",
    "cost",
    "draws",
    "first_best",
    "flat_best",
    "learning",
    "make",
    "oracle",
    "pays",
    "plan",
    "play",
    "register",
    "register_accuracy",
    "register_behaviour",
    "register_cost",
    "register_scenario",
    "register_wrapper",
    "registered",
    "scenario",
    "spendable",
]
