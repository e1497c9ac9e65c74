"""knapsacks: regret that vanishes against the best arms in hindsight, within the budget of every round."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.allocation import allocate
from lefi.arrays import FloatArray
from lefi.mechanisms.knapsacks import ABOVE, BELOW, radius

ROUNDS = 100


def in_hindsight(market: lefi.Market) -> float:
    """The accuracy of the best arms for all clients, had their answers been known: one price of money."""
    roster, terms = market.fleet.roster, market.terms
    each = terms.budget / len(roster)
    weights = np.exp2(round(float(np.log2(each))) + np.arange(-BELOW, ABOVE + 1))
    offers = [lefi.CurveOffer(np.full(len(roster), w), roster.rate, np.full(len(roster), 10.0)) for w in weights]
    sizes = np.stack([np.zeros(len(roster)), *(market.fleet.respond(offer, None) for offer in offers)], axis=1)
    paid = np.stack([np.zeros(len(roster)), *(o.payment(d) for o, d in zip(offers, sizes.T[1:], strict=True))], axis=1)
    gain = terms.accuracy(sizes, roster.iid[:, None])
    chosen, _ = allocate(gain, paid, terms.budget, attempts=8)
    return float(gain[np.arange(len(roster)), chosen].mean())


def played(seed: int, **settings: Any) -> tuple[FloatArray, FloatArray]:
    """Regret against hindsight as a share of its gain, and money paid as a share of the budget, per round."""
    market = lefi.scenario("mixed", seed=seed)
    nothing = market.accuracy_of(np.zeros(10))
    best = in_hindsight(market) - nothing
    receipts = list(lefi.play(lefi.make("knapsacks", market.terms, seed=seed, **settings), market, ROUNDS, seed))
    regret = np.array([1 - (receipt.accuracy - nothing) / best for receipt in receipts])
    return regret, np.array([receipt.paid / market.terms.budget for receipt in receipts])


@pytest.mark.parametrize("seed", [20, 21, 22, 23])
def test_regret_falls_at_the_defaults(seed: int) -> None:
    """The claim of the source at the settings that were tuned once and frozen, for games of twenty rounds."""
    regret, paid = played(seed)
    assert regret[-40:].mean() < 0.5 * regret[:15].mean()
    assert regret[-40:].mean() < 0.03
    assert paid.max() <= 1


@pytest.mark.parametrize("seed", [20, 21, 22])
def test_regret_vanishes_within_the_budget(seed: int) -> None:
    """The claim of the source: what is lost per round against the best arms falls with the number of rounds.

    With a step and a radius for long games; the defaults are for twenty rounds.
    """
    regret, paid = played(seed, radius=0.001, step=0.5)
    early, late = regret[:15].mean(), regret[-40:].mean()
    assert early > 0.04
    assert late < 0.01
    assert paid.max() <= 1


def test_without_the_dual_the_regret_stays() -> None:
    """The control: a price of money that does not move is the wrong one, and tries alone do not help."""
    assert played(21, step=1e-9)[0][-40:].mean() > 0.1


def test_the_radius_shrinks_with_tries() -> None:
    tries = np.array([1.0, 4.0, 100.0])
    assert (np.diff(radius(np.full(3, 0.5), tries, 0.1)) < 0).all()


def test_bad_settings_are_refused() -> None:
    terms = lefi.scenario("mixed").terms
    bad: list[dict[str, Any]] = [{"arms": 0}, {"radius": -1.0}, {"step": 0.0}]
    for settings in bad:
        with pytest.raises(lefi.InputError, match=rf"^knapsacks\.{next(iter(settings))} is "):
            lefi.make("knapsacks", terms, **settings)
