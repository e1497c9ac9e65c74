"""Offers that pay for claims as far as predictions bear them out: clients answer questions, and truth is discovered.

After FedServing (Weng et al. 2021), whose payment formula could not be read. Truth discovery is CRH (Li et al. 2014):
p_iq  what client i predicts for question q      t_q = sum w_i p_iq / sum w_i      loss_i = |p_i - t|
w_i = -ln(loss_i / sum of losses), again and again from equal weights on
A client that trained on D is off by about 1 / sqrt(D). So z_i = claim_i loss_i^2 is the same for all who claim the
truth, and f times as large for who claims f times too much. It is paid the share  honesty = median of z / z_i  of what
the offer promises, all of it while z_i is within `tolerance` above the median. Nobody is paid more than promised.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from lefi.arrays import FloatArray, Floats
from lefi.messages import CurveOffer, Offer, in_short
from lefi.offers.menu import MenuOffer
from lefi.offers.price import PriceOffer
from lefi.payments import pays

TURNS = 20  # of truth discovery, as FedServing's own code has
TINY = 1e-12  # of the losses: who is exactly right is not infinitely trusted


@dataclass(frozen=True, eq=False)
class Served:
    """What such offers add to another kind: how many questions, what is let pass, and, once judged, the honesty.

    >>> from lefi.offers import Served, ServedPrice
    >>> offer = ServedPrice(price=[0.1], limit=[5.0], questions=100, tolerance=0.5, honesty=np.ones(1))
    >>> isinstance(offer, Served)
    True
    """

    questions: int
    tolerance: float
    honesty: FloatArray

    def __repr__(self) -> str:
        return in_short(self)  # type: ignore[arg-type]

    def payment(self, sizes: Floats) -> FloatArray:
        return self.honesty * super().payment(sizes)  # type: ignore[misc]

    def judged(self, claims: FloatArray, predictions: FloatArray) -> Self:
        """The offer after the predictions (clients, questions); who did not answer is not judged."""
        heard = np.flatnonzero(~np.isnan(claims) & ~np.isnan(predictions).any(axis=1) & (np.nan_to_num(claims) > 0))
        honesty = np.ones(claims.size)
        if heard.size > 2:  # of two nobody can tell who is wrong
            truth, _ = discover(predictions[heard])
            z = claims[heard] * ((predictions[heard] - truth) ** 2).mean(axis=1)
            share = np.median(z) / np.maximum(z, TINY)
            honesty[heard] = np.where(share * (1 + self.tolerance) >= 1, 1.0, share)
        return replace(self, honesty=honesty)

    def plain(self) -> Any:
        """The offer without judgement."""
        kind = next(kind for kind, served in SERVED.items() if isinstance(self, served))
        return kind(*(getattr(self, field.name) for field in fields(kind)))

    def to_columns(self) -> dict[str, FloatArray]:
        said = {"questions": float(self.questions), "tolerance": self.tolerance}
        own: dict[str, FloatArray] = super().to_columns()  # type: ignore[misc]
        same = {name: np.full(self.honesty.size, value) for name, value in said.items()}
        return own | same | {"honesty": self.honesty}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        kind = next(kind for kind, served in SERVED.items() if issubclass(cls, served))
        own = kind.from_columns(columns, rate)
        said = int(columns["questions"][0]), float(columns["tolerance"][0]), columns["honesty"]
        return cls(*(getattr(own, field.name) for field in fields(kind)), *said)  # type: ignore[call-arg]


@pays("curve", name="served curve")
@dataclass(frozen=True, eq=False, repr=False)
class ServedCurve(Served, CurveOffer):
    """The paper's curve, as far as claims are borne out.

    >>> from lefi.offers import ServedCurve
    >>> offer = ServedCurve([1.0], [0.75], [10.0], questions=100, tolerance=0.5, honesty=np.array([0.5]))
    >>> offer.payment(np.array([1.0])).round(3)
    array([0.264])
    """


@pays("price", name="served price")
@dataclass(frozen=True, eq=False, repr=False)
class ServedPrice(Served, PriceOffer):
    """A price, as far as claims are borne out.

    >>> from lefi.offers import ServedPrice
    >>> offer = ServedPrice([0.1, 0.1], [5.0, 5.0], questions=100, tolerance=0.5, honesty=np.array([1.0, 0.5]))
    >>> offer.payment(np.array([4.0, 4.0]))
    array([0.4, 0.2])
    """


@pays("menu", name="served menu")
@dataclass(frozen=True, eq=False, repr=False)
class ServedMenu(Served, MenuOffer):
    """A menu, as far as claims are borne out.

    >>> from lefi.offers import ServedMenu
    >>> offer = ServedMenu([[2.0, 5.0]], [[0.1, 0.3]], questions=100, tolerance=0.5, honesty=np.array([0.5]))
    >>> offer.payment(np.array([5.0]))
    array([0.15])
    """


SERVED: dict[Any, Any] = {CurveOffer: ServedCurve, PriceOffer: ServedPrice, MenuOffer: ServedMenu}


def served(offer: Offer, questions: int, tolerance: float) -> Any:
    """The same offer, to be judged; None where its kind cannot be."""
    kind = SERVED.get(type(offer))
    if kind is None:
        return None
    own = (getattr(offer, field.name) for field in fields(offer))  # type: ignore[arg-type]
    return kind(*own, questions, tolerance, np.ones(len(offer)))


def discover(predictions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Truth of each question and weight of each client, by CRH."""
    w = np.ones(len(predictions))
    for _ in range(TURNS):
        truth = w @ predictions / w.sum()
        loss = np.sqrt(((predictions - truth) ** 2).sum(axis=1))
        share = np.clip(loss / max(float(loss.sum()), 1e-300), TINY, 1 - TINY)
        w = -np.log(share)
    return w @ predictions / w.sum(), w
