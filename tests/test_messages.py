from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import CurveOffer, InputError, Receipt, Roster, Terms

BAD_NUMBERS = [np.nan, np.inf, -np.inf, -1.0, "5", None, True]
ROSTER = Roster(ids=np.array([4, 2]), iid=np.array([0.5, 1.0]), rate=np.array([0.7, 0.8]))
OFFER = CurveOffer(weight=np.array([1.0, 2.0]), rate=ROSTER.rate, limit=np.array([10.0, 3.0]))


def terms(**changes: Any) -> Terms:
    return Terms(**{"budget": 5.0, "accuracy": lefi.accuracy("paper"), **changes})


def receipt(**changes: Any) -> Receipt:
    given = {"round": 1, "roster": ROSTER, "offer": OFFER, "sizes": [1.0, 2.0], "payments": [0.5, 0.6], "accuracy": 0.2}
    return Receipt(**{**given, **changes})


class TestTerms:
    @pytest.mark.parametrize("field", ["budget", "size_low", "size_high", "deadline"])
    @pytest.mark.parametrize("value", BAD_NUMBERS)
    def test_refuse_bad_numbers(self, field: str, value: object) -> None:
        with pytest.raises(InputError, match=f"^{field} is"):
            terms(**{field: value})

    @pytest.mark.parametrize(
        ("field", "value"),
        [("budget", 0), ("deadline", 0), ("size_high", 0), ("size_low", 10.0), ("accuracy", "paper")],
    )
    def test_refuse(self, field: str, value: object) -> None:
        with pytest.raises(InputError):
            terms(**{field: value})

    def test_keep_floats(self) -> None:
        assert type(terms(budget=5).budget) is float
        assert type(terms(deadline=np.int64(9)).deadline) is float

    def test_a_total_and_rounds_make_the_budget(self) -> None:
        assert terms(budget=None, total=12.0, rounds=4).budget == 3.0
        both = terms(budget=5.0, total=12.0, rounds=4)
        assert (both.budget, both.total, both.rounds) == (5.0, 12.0, 4)

    @pytest.mark.parametrize("given", [{}, {"total": 5.0}, {"rounds": 5}])
    def test_refuse_terms_without_any_budget(self, given: dict[str, Any]) -> None:
        with pytest.raises(InputError, match=r"^budget is None"):
            terms(budget=None, **given)

    @pytest.mark.parametrize("given", [{"total": 0}, {"total": np.nan}, {"rounds": 0}, {"rounds": 1.5}, {"total": "5"}])
    def test_refuse_bad_totals(self, given: dict[str, Any]) -> None:
        with pytest.raises(InputError, match=r"^(total|rounds) is"):
            terms(**given)


class TestRoster:
    @pytest.mark.parametrize(
        "ids", [[], [1, 1], [-1, 2], [0.5, 1.5], [True, False], ["a", "b"], [[1, 2]], [np.nan, 1], None, [2**63, 1]]
    )
    def test_refuses_ids(self, ids: Any) -> None:
        with pytest.raises(InputError, match=r"^(ids|clients) "):
            Roster(ids=ids, iid=np.array([1.0, 1.0]), rate=np.array([0.75, 0.75]))

    @pytest.mark.parametrize("iid", [[0.1], [0.1, 1.1], [-0.1, 1], [np.nan, 1], [[0.1, 0.2]], [True, True]])
    def test_refuses_iid(self, iid: Any) -> None:
        with pytest.raises(InputError, match="iid"):
            Roster(ids=np.array([1, 2]), iid=iid, rate=np.array([1.0, 1.0]))

    @pytest.mark.parametrize("rate", [[0.1], [0, 1.1], [-0.1, 1], [np.inf, 1]])
    def test_refuses_rates(self, rate: Any) -> None:
        with pytest.raises(InputError, match="rate"):
            Roster(ids=np.array([1, 2]), iid=np.array([1.0, 1.0]), rate=rate)

    def test_take_reorders_everything(self) -> None:
        taken = ROSTER.take(np.array([1, 0]))
        assert taken.ids.tolist() == [2, 4]
        assert taken.iid.tolist() == [1.0, 0.5]
        assert taken.rate.tolist() == [0.8, 0.7]
        assert len(ROSTER.take(np.array([1]))) == 1

    def test_take_refuses_a_client_twice(self) -> None:
        with pytest.raises(InputError, match="unique"):
            ROSTER.take(np.array([1, 1]))


class TestCurveOffer:
    @pytest.mark.parametrize("field", ["weight", "rate", "limit"])
    @pytest.mark.parametrize("value", [[np.nan, 1], [np.inf, 1], [-1e-9, 1], [[1.0, 1.0]], ["1", "1"], [1, 1, 1]])
    def test_refuses(self, field: str, value: Any) -> None:
        given: dict[str, Any] = {"weight": [1.0, 1.0], "rate": [1.0, 1.0], "limit": [1.0, 1.0], field: value}
        with pytest.raises(InputError):
            CurveOffer(**given)

    def test_refuses_an_offer_to_nobody(self) -> None:
        with pytest.raises(InputError, match="clients is 0"):
            CurveOffer(np.array([]), np.array([]), np.array([]))

    def test_payment_is_the_curve_up_to_the_limit(self) -> None:
        sizes = np.array([2.0, 9.0])
        expected = [1 - np.exp(-1.4), 2 * (1 - np.exp(-0.8 * 3))]
        assert OFFER.payment(sizes) == pytest.approx(expected, rel=1e-14)

    def test_no_answer_is_not_paid(self) -> None:
        assert OFFER.payment(np.array([np.nan, 0.0])).tolist() == [0.0, 0.0]

    def test_worst_case_is_what_full_delivery_costs(self) -> None:
        assert OFFER.worst_case() == pytest.approx(OFFER.payment(np.array([1e9, 1e9])).sum())

    def test_best_size_survives_extreme_costs(self) -> None:
        dear = OFFER.best_size(np.array([1e300, 5e-324]), 0.0, 10.0)
        assert dear.tolist() == [0.0, 3.0]

    def test_best_size_of_nothing_is_low(self) -> None:
        offer = CurveOffer(np.zeros(2), ROSTER.rate, OFFER.limit)
        assert offer.best_size(0.01, 0.25, 10.0).tolist() == [0.25, 0.25]

    def test_sender_cannot_change_it_afterwards(self) -> None:
        weight = np.array([1.0, 2.0])
        offer = CurveOffer(weight, ROSTER.rate, OFFER.limit)
        weight *= 2
        assert offer.weight.tolist() == [1.0, 2.0]


class TestReceipt:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("round", 0),
            ("round", True),
            ("round", 1.0),
            ("sizes", [1.0]),
            ("sizes", [-1.0, 1.0]),
            ("sizes", [np.inf, 1.0]),
            ("sizes", ["a", "b"]),
            ("sizes", [[1.0, 2.0]]),
            ("payments", [np.nan, 1.0]),
            ("payments", [-0.1, 1.0]),
            ("payments", [1.0]),
            ("accuracy", np.inf),
            ("accuracy", "good"),
            ("accuracy", True),
        ],
    )
    def test_refuses(self, field: str, value: object) -> None:
        with pytest.raises(InputError, match=field):
            receipt(**{field: value})

    def test_no_answer_and_no_measurement_are_allowed(self) -> None:
        given = receipt(sizes=[np.nan, 1.0], payments=[0.0, 1.0], accuracy=np.nan)
        assert given.answered.tolist() == [False, True]
        assert given.paid == 1.0
        assert replace(given, accuracy=0.1).accuracy == 0.1
