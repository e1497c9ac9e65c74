"""Kinds of offers besides the paper's curve: a price, a menu, a pool, a call for bids. One file each."""

from lefi.offers.auction import AuctionAward, AuctionCall
from lefi.offers.cut import cut
from lefi.offers.limited import limited
from lefi.offers.menu import MenuOffer
from lefi.offers.pool import PoolOffer
from lefi.offers.price import PriceOffer
from lefi.offers.principals import PrincipalCall
from lefi.offers.prizes import PrizeOffer
from lefi.offers.rank import RankOffer
from lefi.offers.reverse_auction import ReverseCall
from lefi.offers.served import Served, ServedCurve, ServedMenu, ServedPrice
from lefi.offers.votes import VoteOffer, by_votes

__all__ = [
    "AuctionAward",
    "AuctionCall",
    "MenuOffer",
    "PoolOffer",
    "PriceOffer",
    "PrincipalCall",
    "PrizeOffer",
    "RankOffer",
    "ReverseCall",
    "Served",
    "ServedCurve",
    "ServedMenu",
    "ServedPrice",
    "VoteOffer",
    "by_votes",
    "cut",
    "limited",
]
