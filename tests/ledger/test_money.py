"""Whole units: rounded down, never more than there is, and the same however they are summed."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi import LefiError
from lefi.ledger import Money
from lefi.ledger.money import fitted, payable, told
from lefi.ledger.terms import Purse

NANO = Money()


@given(st.floats(0, 1e9))
def test_payments_are_rounded_down(amount: float) -> None:
    """To the unit below, but for what a float cannot tell from the unit itself: 0.3 USD are 0.3 USD."""
    (units,) = NANO.units(np.array([amount]))
    assert units <= Fraction(amount) * 10**9 * (1 + Fraction(1, 2**52))
    assert Fraction(amount) * 10**9 - units < 1 + Fraction(amount) * 10**9 / 2**52


@pytest.mark.parametrize(
    ("unit", "amount", "units", "text"),
    [
        ("1e-9", 0.3, 300_000_000, "0.300000000"),
        ("1e-9", 1e-10, 0, "0.000000000"),
        ("0.01", 19.999, 1999, "19.99"),
        ("0.01", "-3.5", -350, "-3.50"),
        ("1", 7.9, 7, "7"),
        ("1e-6", 1e12, 10**18, "1000000000000.000000"),
    ],
)
def test_amounts_as_they_are_written(unit: str, amount: float | str, units: int, text: str) -> None:
    money = Money("EUR", unit)
    assert money.exact(amount) == units
    assert money.text(units) == text


@pytest.mark.parametrize(("currency", "unit"), [
    ("US$", "0.01"), ("", "0.01"), ("USD", "0.02"), ("USD", "10"), ("USD", "1e-30"), ("USD", "x"), ("USD", "-1"),
    ("USD", "nan"), (3, "0.01"),
])  # fmt: skip
def test_what_is_no_money(currency: str, unit: str) -> None:
    with pytest.raises(LefiError):
        Money(currency, unit)


def test_amounts_have_an_end() -> None:
    for amount in (1e10, float("inf"), float("nan")):
        with pytest.raises(LefiError):
            NANO.units(np.array([amount]))
    with pytest.raises(LefiError, match="larger unit"):
        NANO.exact(1e10)
    with pytest.raises(LefiError, match="a number of USD"):
        NANO.exact("much")


@given(st.lists(st.integers(0, 10**18), min_size=1, max_size=20), st.integers(0, 10**18))
def test_what_is_paid_fits(units: list[int], most: int) -> None:
    paid = fitted(units, most)
    assert sum(paid) <= most
    assert all(0 <= part <= whole for part, whole in zip(paid, units, strict=True))
    assert paid == units or sum(paid) > most - len(units)


def test_caps_come_first_and_the_mechanism_hears_of_them() -> None:
    owed = np.array([0.5, 0.25, 1 / 3])
    units = payable(NANO, owed, 10**10, {0: 100, 1: -5})
    assert units == [100, 0, 333_333_333]
    np.testing.assert_array_equal(told(NANO, owed, units), [1e-7, 0.0, 1 / 3])


def test_a_million_payments_sum_exactly() -> None:
    units = NANO.units(np.full(1_000_000, 0.1))
    assert sum(units) == 10**14
    assert NANO.text(sum(units)) == "100000.000000000"
    assert np.full(1_000_000, 0.1).cumsum()[-1] != 100_000.0, "as floats it would not"


@given(st.floats(1e-6, 1e6), st.floats(0.1, 20), st.lists(st.floats(0, 1), max_size=40))
def test_a_purse_is_never_overdrawn(budget: float, rounds: float, shares: list[float]) -> None:
    purse = Purse(budget, budget * rounds)
    for share in shares:
        assert purse.next() <= budget
        paid = payable(NANO, np.array([share * purse.next()]), purse.units)
        purse.pay(sum(paid))
        assert not purse.over
    assert purse.spent <= NANO.exact(budget * rounds)
