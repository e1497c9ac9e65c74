from typing import Any

import numpy as np
import pytest

from lefi import Fleet, InputError, LinearCost, RationalFleet, Roster, cost

ROSTER = Roster(np.arange(3), np.full(3, 0.5), np.full(3, 0.75))


def fleet(**changes: Any) -> RationalFleet:
    return RationalFleet(**{"roster": ROSTER, "price": 1e-5, "speed": 28.9, "cost": cost("paper"), **changes})


@pytest.mark.parametrize("field", ["price", "speed"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], True])
def test_refuses_bad_clients(field: str, value: object) -> None:
    with pytest.raises(InputError, match=field):
        fleet(**{field: value})


@pytest.mark.parametrize("field", ["deadline", "size_low", "size_high"])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "1"])
def test_refuses_bad_bounds(field: str, value: object) -> None:
    with pytest.raises(InputError, match=field):
        fleet(**{field: value})


def test_is_a_fleet_that_stays_as_it_is() -> None:
    rational = fleet()
    assert isinstance(rational, Fleet)
    assert rational.advance(np.random.default_rng(0)) is rational


def test_take_moves_prices_and_speeds_along() -> None:
    rational = fleet(price=np.array([1e-5, 2e-5, 3e-5]), speed=np.array([1.0, 2.0, 3.0]))
    taken = rational.take(np.array([2, 0]))
    assert taken.roster.ids.tolist() == [2, 0]
    assert taken.price.tolist() == [3e-5, 1e-5]
    assert taken.speed.tolist() == [3.0, 1.0]
    assert taken.cost is rational.cost


def test_a_cheaper_cost_model_gives_more() -> None:
    from lefi.messages import CurveOffer

    offer = CurveOffer(np.full(3, 0.05), ROSTER.rate, np.full(3, 10.0))
    cheap = fleet(cost=LinearCost(40.0, 0.0)).respond(offer, None)
    assert (cheap > fleet(cost=LinearCost(80.0, 0.0)).respond(offer, None)).all()
